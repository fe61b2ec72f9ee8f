import WeirJournals
import WeirStates

/// How long the last successes of one operation took, from case to end: the basis of the next run's estimate.
///
/// Pure.
///
/// A range is the median of the observed durations, plus or minus three times the median distance from it (with purely
/// random durations, that covers nineteen of twenty), and at least a sixth of itself. It is shown only if it has been
/// reliable: for each of the last ten runs, the range is computed from all others, and the number of runs for which it
/// would have been right is counted.
struct DurationHistory: Sendable {
    /// How many runs are remembered, the newest.
    static let kept = 20
    /// How many durations there must be before there is an estimate.
    static let least = 5
    /// Of how many the error is measured, the newest.
    static let measured = 10
    /// What takes less than this, in milliseconds, is over before it is read.
    static let shortest: Int64 = 1_000

    /// Of each remembered run, oldest first: from when it first entered each case until it had ended, in milliseconds.
    private var runs: [[String: Int64]] = []

    /// Remembers a run that succeeded here, wholly known; any other is passed over.
    mutating func add(_ run: RunView) {
        guard let end = run.record.endedAt, run.record.state.phase == .succeeded, run.record.origin == nil,
            run.omittedTransitions == 0
        else { return }
        var rests: [String: Int64] = [:]
        for state in run.transitions where state.phase == .active && rests[state.caseName] == nil {
            rests[state.caseName] = max(0, end - state.at)
        }
        runs.append(rests)
        if runs.count > Self.kept { runs.removeFirst() }
    }

    /// The estimate for a run that begins now; nil if there is no reliable one.
    func estimate() -> RunEstimate? {
        guard runs.count >= Self.least else { return nil }
        var cases: [String: RunEstimate.Remaining] = [:]
        for name in Set(runs.flatMap(\.keys)) {
            if let rest = Self.rest(of: runs.compactMap { $0[name] }) { cases[name] = rest }
        }
        return cases.isEmpty ? nil : RunEstimate(cases: cases)
    }

    /// The range for the next of these durations, oldest first; nil if they are few, short, or too unlike each other.
    static func rest(of values: [Int64]) -> RunEstimate.Remaining? {
        guard values.count >= least, median(values) >= shortest else { return nil }
        let range = Self.range(of: values)
        let tried = values.indices.suffix(measured)
        let right = tried.count { index in
            var others = values
            others.remove(at: index)
            return Self.range(of: others).contains(values[index])
        }
        // Seven of ten at least, and narrow enough to be of use.
        guard right * 10 >= tried.count * 7, range.upperBound <= max(4 * range.lowerBound, 2_000) else { return nil }
        return RunEstimate.Remaining(
            shortest: range.lowerBound, longest: range.upperBound, right: right, tried: tried.count)
    }

    private static func range(of values: [Int64]) -> ClosedRange<Int64> {
        let middle = median(values)
        let distance = median(values.map { abs($0 - middle) })
        let spread = max(3 * distance, middle / 6, 250)
        return max(0, middle - spread)...(middle + spread)
    }

    /// The middle one, or the mean of the two in the middle; 0 of none.
    private static func median(_ values: [Int64]) -> Int64 {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        // Never traps: there is one at least, and both places lie between the first and the last.
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
