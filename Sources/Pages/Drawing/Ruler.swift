import Journals

/// The units of a strip: milliseconds from its first moment, or sequences.
struct Ruler {
    private let scrubber: Scrubber
    /// What stands at the strip's left end.
    let start: Int64
    /// How much fits on it.
    let length: Int64
    /// Whether the last moment lasts.
    let isOpen: Bool

    init(_ scrubber: Scrubber) {
        self.scrubber = scrubber
        isOpen = scrubber.end == nil
        let (first, last) = (scrubber.moments.first, scrubber.moments.last)
        switch scrubber.scale {
        case .time:
            start = 0
            let latest = scrubber.end ?? scrubber.latest ?? last?.at
            let elapsed = max((latest ?? Timestamp(milliseconds: 0)) - (first?.at ?? Timestamp(milliseconds: 0)), 0)
            length = isOpen ? TimeAxis.length(holding: elapsed) : elapsed
        case .changes:
            start = first?.sequence ?? 0
            length = max((scrubber.head ?? last?.sequence ?? 0) - start, 0)
        }
    }

    func place(_ moment: Scrubber.Moment) -> Int64 { place(moment.sequence, moment.at) }

    func place(_ standing: Scrubber.Standing) -> Int64 { place(standing.sequence, standing.at) }

    private func place(_ sequence: Int64, _ at: Timestamp) -> Int64 {
        let place = scrubber.scale == .time ? scrubber.moments.first.map { at - $0.at } ?? 0 : sequence - start
        return min(max(place, 0), length)
    }
}
