import WeirJournals

/// The units of a strip: milliseconds from its first moment, hundredths of a moment, or sequences.
struct Ruler {
    private let scrubber: Scrubber
    private let scale: Scrubber.Scale
    /// The value at the strip's left end.
    let start: Int64
    /// How much fits on it.
    let length: Int64
    /// Whether the last moment lasts.
    let isOpen: Bool

    init(_ scrubber: Scrubber, _ scale: Scrubber.Scale) {
        self.scrubber = scrubber
        self.scale = scale
        isOpen = scrubber.end == nil
        let (first, last) = (scrubber.moments.first, scrubber.moments.last)
        switch scale {
        case .time:
            start = 0
            let latest = scrubber.end ?? scrubber.latest ?? last?.at
            let elapsed = max((latest ?? Timestamp(milliseconds: 0)) - (first?.at ?? Timestamp(milliseconds: 0)), 0)
            length = isOpen ? TimeAxis.length(holding: elapsed) : elapsed
        case .steps:
            start = 0
            length = Int64(scrubber.moments.count) * StepScale.unit
        case .changes:
            start = first?.sequence.rawValue ?? 0
            length = max((scrubber.head ?? last?.sequence ?? 0).rawValue - start, 0)
        }
    }

    func place(_ moment: Scrubber.Moment) -> Int64 { place(moment.sequence, moment.at) }

    func place(_ position: Scrubber.Position) -> Int64 { place(position.sequence, position.at) }

    private func place(_ sequence: SequenceNumber, _ at: Timestamp) -> Int64 {
        let place =
            switch scale {
            case .time: scrubber.moments.first.map { at - $0.at } ?? 0
            case .steps: step(sequence, at)
            case .changes: sequence.rawValue - start
            }
        return min(max(place, 0), length)
    }

    private func step(_ sequence: SequenceNumber, _ at: Timestamp) -> Int64 {
        guard let index = scrubber.moments.lastIndex(where: { $0.sequence <= sequence }) else { return 0 }
        let next = scrubber.moments.dropFirst(index + 1).first?.at
        let from = scrubber.moments[index].at
        return StepScale.value(index: index, at: at, from: from, to: next ?? scrubber.end ?? scrubber.latest)
    }
}

/// How much time an axis shows while nobody knows how much it will have to.
///
/// It stays as it is for a while, so that what is drawn on it need not be drawn again with each change.
enum TimeAxis {
    /// The shortest axis that has room for that many milliseconds and some more.
    static func length(holding milliseconds: Int64) -> Int64 {
        var unit: Int64 = 1_000
        while unit < Int64.max / 100, milliseconds >= unit * 9 { unit *= 10 }
        let steps: [Int64] = [10, 15, 20, 30, 40, 50, 60, 80, 100]
        return (steps.first { milliseconds < unit / 10 * $0 * 9 / 10 } ?? 100) * (unit / 10)
    }
}
