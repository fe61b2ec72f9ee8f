package import WeirBoards
package import WeirJournals
import WeirStates

/// The scale of a strip on which each state that a run passed through is as long as any other.
///
/// A value on it counts hundredths of a state, from 0. Within a state, time passes evenly.
package enum StepScale {
    /// How much of the scale one state takes.
    static let unit: Int64 = 100

    /// A part of a run's past that a value on the scale leads into.
    package struct Place: Equatable, Sendable {
        /// The change with which the state began.
        package let opening: SequenceNumber
        /// The change with which the next state began; nil for the last state.
        package let next: SequenceNumber?
        /// The moment that the value stands for, in milliseconds after the run began; nil for that of `opening`.
        package let offset: Int64?
    }

    /// Where a value leads in a run; nil if the run has no states.
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

    /// The value of a moment within the state of that index, which lasts from one time to another.
    static func value(index: Int, at: Timestamp, from: Timestamp, to end: Timestamp?) -> Int64 {
        let (elapsed, whole) = (Double(max(at - from, 0)), Double(max((end ?? at) - from, 0)))
        let part = whole > 0 ? min(Int64(clamping: elapsed / whole * Double(unit)), unit - 1) : 0
        return Int64(index) * unit + part
    }
}
