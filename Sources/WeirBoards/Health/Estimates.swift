import WeirFlows
import WeirJournals
import WeirStates

/// The duration history of each operation, from which the next run's duration is estimated.
final class Estimates: Sendable {
    private let histories: Locked<[String: DurationHistory]>

    init(_ histories: [String: DurationHistory] = [:]) { self.histories = Locked(histories) }

    func learn(from run: RunView) {
        histories.withLock { $0[run.record.operation, default: DurationHistory()].add(run) }
    }

    /// The estimate for a run that begins now, or nil if there is no reliable one.
    func estimate(for operation: String) -> RunEstimate? {
        histories.withLock { $0[operation] }?.estimate()
    }
}

extension BoardLoader {
    /// The estimates from the newest successful runs of each operation, without imported ones.
    func estimates() async throws -> Estimates {
        var histories: [String: DurationHistory] = [:]
        for entry in catalog.entries {
            let query = RunQuery(
                operation: entry.id, phase: .succeeded, isImported: false, limit: DurationHistory.kept)
            // Runs with many changes are slow to read, and mostly end for reasons other than completing their work.
            for record in try await journal.runs(query).runs.reversed() where record.revision < 5_000 {
                guard let run = try await journal.view(of: record.id, through: nil) else { continue }
                histories[entry.id, default: DurationHistory()].add(run)
            }
        }
        return Estimates(histories)
    }
}

extension RunOpening {
    func expecting(_ expected: RunEstimate?) -> RunOpening {
        var opening = self
        opening.expected = expected
        return opening
    }
}

/// The remaining times of one operation's newest successful runs, by case: the basis of an estimate.
///
/// The estimated range is the median of the observed durations plus or minus three times the median absolute deviation
/// (which covers 95 % of normally distributed durations), and at least a sixth of the median. To check its reliability,
/// the range for each of the last ten runs is computed from all other runs; the range is shown only if it contains
/// enough of these runs.
struct DurationHistory: Sendable {
    static let kept = 20
    static let least = 5
    /// The number of newest runs on which the reliability is checked.
    static let measured = 10
    /// The median duration, in milliseconds, below which there is no estimate.
    static let shortest: Int64 = 1_000

    /// For each remembered run, oldest first: the milliseconds from its first entry into each case to its end.
    private var runs: [[String: Int64]] = []
    /// For each remembered run of steps, oldest first: the durations of its steps, and of the whole.
    private var steps: [(steps: [String: Int64], whole: Int64)] = []

    /// Adds a run that succeeded, unless it was imported or some of its transitions are omitted.
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
        addSteps(run, end)
    }

    /// Adds the durations of the steps of a run, unless some of them ran in another run.
    private mutating func addSteps(_ run: RunView, _ end: Timestamp) {
        guard run.record.state.payload["steps"]?.array != nil,
            let progress = try? run.record.state.payload.decode(StepsProgress.self),
            progress.steps.allSatisfy({ $0.doneIn == nil })
        else { return }
        let durations = progress.steps.compactMap { step -> (String, Int64)? in
            guard step.status == .succeeded, let began = step.began, let ended = step.ended else { return nil }
            return (step.name, max(0, ended - began))
        }
        steps.append((Dictionary(durations) { $1 }, max(0, end - run.record.startedAt)))
        if steps.count > Self.kept { steps.removeFirst() }
    }

    /// The median duration of each step of which enough durations are known.
    private var medians: [String: Int64] {
        let names = Set(steps.flatMap(\.steps.keys))
        return names.reduce(into: [:]) { medians, name in
            let durations = steps.compactMap { $0.steps[name] }
            if durations.count >= Self.least { medians[name] = Self.median(durations) }
        }
    }

    /// The estimate for a run that begins now, or nil if there is no reliable one.
    func estimate() -> RunEstimate? {
        guard runs.count >= Self.least else { return nil }
        let medians = medians
        let whole = steps.count >= Self.least ? Self.median(steps.map(\.whole)) : nil
        var cases: [String: RunEstimate.Remaining] = [:]
        for name in Set(runs.flatMap(\.keys)) {
            if let rest = Self.rest(of: runs.compactMap { $0[name] }) { cases[name] = rest }
        }
        guard !cases.isEmpty || whole != nil else { return nil }
        return RunEstimate(cases: cases, steps: medians, whole: whole)
    }

    /// The estimated range from durations, oldest first, or nil if they are too few, too short or too spread out.
    static func rest(of values: [Int64]) -> RunEstimate.Remaining? {
        guard values.count >= least, median(values) >= shortest else { return nil }
        let range = Self.range(of: values)
        let tried = values.indices.suffix(measured)
        let right = tried.count { index in
            var others = values
            others.remove(at: index)
            return Self.range(of: others).contains(values[index])
        }
        // At least seven of ten correct, and narrow enough to be useful.
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

    private static func median(_ values: [Int64]) -> Int64 {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        // Never traps: the array is not empty, and both indices lie within it.
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
