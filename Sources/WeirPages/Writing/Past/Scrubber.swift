package import WeirBoards
package import WeirJournals
import WeirStates

/// The control for stepping through the moments of a run, operation or store: a strip, a slider and buttons.
///
/// `PageWriter.scrubber(_:)` converts it into the fields of `partials/scrubber`.
struct Scrubber {
    /// A period from a change to the next: a state of a run, or the result of an action on a store.
    struct Moment {
        let sequence: SequenceNumber
        let at: Timestamp
        let label: String
        let tone: String
    }

    enum Scale {
        /// Time: the slider submits `offset`, the milliseconds since the first moment, and the server finds the change.
        case time
        /// Steps: all moments have the same length, so that idle time hides none; within one, the scale is linear in time.
        ///
        /// The slider submits `step`, in hundredths of a moment: see ``StepScale``.
        case steps
        /// Changes: the slider submits `at`, a sequence. Suits rare changes with long pauses.
        case changes
    }

    /// The position of a page of the past.
    struct Position {
        let sequence: SequenceNumber
        let at: Timestamp
        /// The index among the page's changes, from 1, and their number; nil if unknown.
        var place: (number: Int64, count: Int64)?
        /// The page's previous change, or nil if this is the first one kept.
        var previous: SequenceNumber?
        /// The page's next change, or nil if it does not exist yet.
        var next: SequenceNumber?
        var note: String?
    }

    let url: String
    let moments: [Moment]
    var scale = Scale.time
    /// The end of the last moment, or nil while it lasts.
    var end: Timestamp?
    /// The latest known time of the last moment while it lasts.
    var latest: Timestamp?
    /// The sequence of the newest change, if `scale` is changes and ticks follow the last moment.
    var head: SequenceNumber?
    /// The run that the strip shows, on a page that is not the run's own.
    var run: String?
    /// The first change kept, if the strip does not begin with it.
    var first: SequenceNumber?
    /// The position of the page; nil for a live page.
    var position: Position?
    /// Whether the reader chose the strip by time, if there are two.
    var isByTime = false
}

/// The scale of a strip: milliseconds since its first moment, hundredths of a moment, or sequences.
struct Ruler {
    private let scrubber: Scrubber
    private let scale: Scrubber.Scale
    let start: Int64
    /// The difference between the values at both ends.
    let length: Int64
    /// Whether the last moment has no end yet.
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

/// The length of a time axis whose final duration is unknown.
///
/// Lengths grow in steps, so that drawings are not redrawn after each change.
enum TimeAxis {
    /// The shortest axis for a number of milliseconds, with room for some more.
    static func length(holding milliseconds: Int64) -> Int64 {
        var unit: Int64 = 1_000
        while unit < Int64.max / 100, milliseconds >= unit * 9 { unit *= 10 }
        let steps: [Int64] = [10, 15, 20, 30, 40, 50, 60, 80, 100]
        return (steps.first { milliseconds < unit / 10 * $0 * 9 / 10 } ?? 100) * (unit / 10)
    }
}

/// The scale of a strip on which all states of a run have the same length.
///
/// Values count hundredths of a state, from 0. Within a state, the scale is linear in time.
package enum StepScale {
    static let unit: Int64 = 100

    /// The part of a run's past that contains a value.
    package struct Place: Equatable, Sendable {
        package let opening: SequenceNumber
        /// The change that began the next state, or nil for the last state.
        package let next: SequenceNumber?
        /// The moment of the value in milliseconds since the start of the run, or nil for the moment of `opening`.
        package let offset: Int64?
    }

    /// The place of a value in a run, or nil if the run has no states.
    package static func place(of value: Int64, in run: RunView) -> Place? {
        let record = run.record
        var states = run.transitions.map { (sequence: $0.sequence, at: $0.at) }
        if run.omittedTransitions > 0 { states.insert((record.openedSequence, record.startedAt), at: 0) }
        let (number, rest) = max(value, 0).quotientAndRemainder(dividingBy: unit)
        let index = Int(clamping: number)
        guard let here = states.dropFirst(index).first else {
            return states.last.map { Place(opening: $0.sequence, next: nil, offset: nil) }
        }
        let next = states.dropFirst(index).dropFirst().first
        guard rest > 0 else { return Place(opening: here.sequence, next: next?.sequence, offset: nil) }
        let end = next?.at ?? record.endedAt ?? run.at
        let elapsed = Double(max(end - here.at, 0)) * Double(rest) / Double(unit)
        let (offset, isOver) = (here.at - record.startedAt).addingReportingOverflow(Int64(clamping: elapsed))
        return Place(opening: here.sequence, next: next?.sequence, offset: isOver ? nil : offset)
    }

    /// The value of a moment in the state at an index, which lasts from one time to another.
    static func value(index: Int, at: Timestamp, from: Timestamp, to end: Timestamp?) -> Int64 {
        let (elapsed, whole) = (Double(max(at - from, 0)), Double(max((end ?? at) - from, 0)))
        let part = whole > 0 ? min(Int64(clamping: elapsed / whole * Double(unit)), unit - 1) : 0
        return Int64(index) * unit + part
    }
}
