import WeirAccess
package import WeirJournals
import WeirStates

/// Statistics of an operation's recent runs: success rate, durations and failures.
///
/// Computed from the newest runs of the last 30 days. A run that ends before it begins, because the clock was set back,
/// has a duration of 0; a run that begins after `asOf` counts as beginning then.
package struct OperationHealth: Sendable, Hashable {
    /// The maximum number of runs, newest first, that are analyzed.
    package static let runLimit = 1_000
    /// The time span of the analyzed runs, in milliseconds.
    package static let span: Int64 = 30 * day
    static let listLimit = 5
    /// The number of successes from which ``usual`` is defined.
    static let leastSuccesses = 5
    private static let day: Int64 = 86_400_000
    private static let hour: Int64 = 3_600_000

    /// The figures of the runs that began in one day or hour.
    package struct Bucket: Sendable, Hashable {
        /// The beginning of the day or hour in UTC.
        package let start: Timestamp
        package let figures: Figures
    }

    package let operation: String
    package let asOf: Timestamp
    /// Whether older runs within the span were left out.
    package let isCut: Bool
    package let figures: Figures
    /// Whether buckets are hours rather than days, because all runs began within the last day.
    package let isHourly: Bool
    /// The figures over time, without gaps, oldest first, up to `asOf`: 7 to 31 days, or 25 hours.
    package let buckets: [Bucket]
    /// The longest of the runs that succeeded or failed, longest first.
    package let slowest: [RunRecord]
    package let active: [RunRecord]
    /// The failures grouped by sentence, most frequent first.
    package let errors: [ErrorGroup]
    package let inputs: [FailingInput]
    /// The time that the newest successful runs spent in each state, in the order in which the states were entered.
    package let states: [StateDuration]

    /// Computes the statistics from runs of this operation only, newest first.
    ///
    /// `isCut` is true if older runs were left out; `details` contains the newest successful runs with their states.
    package init(
        of operation: String, runs: [RunRecord], isCut: Bool = false, details: [RunView] = [], asOf now: Timestamp
    ) {
        self.operation = operation
        self.isCut = isCut
        asOf = now
        let ended = runs.filter { $0.endedAt != nil }
        figures = Figures(of: ended)
        active = runs.filter { $0.endedAt == nil }.sorted { $0.openedSequence < $1.openedSequence }
        isHourly = !ended.isEmpty && ended.allSatisfy { $0.startedAt >= now.before(Self.day) }
        buckets = Self.buckets(of: ended, by: isHourly ? Self.hour : Self.day, least: isHourly ? 25 : 7, upTo: now)
        let measured = ended.filter { [.succeeded, .failed].contains($0.state.phase) && $0.duration > 0 }
        slowest = Array(
            measured.sorted { ($0.duration, $0.openedSequence) > ($1.duration, $1.openedSequence) }
                .prefix(Self.listLimit))
        let failed = ended.filter { $0.state.phase == .failed }
        errors = Array(ErrorGroup.groups(of: failed).prefix(Self.listLimit))
        inputs = Array(FailingInput.all(of: ended).prefix(Self.listLimit))
        states = StateDuration.all(of: details)
    }

    /// The 95th percentile of successful durations, in milliseconds, or nil with fewer than five successes.
    package var usual: Int64? { figures.succeeded >= Self.leastSuccesses ? figures.p95 : nil }

    /// The active runs that exceed the usual duration, oldest first.
    ///
    /// The estimate made at the start of a run takes precedence, for consistency with the run's other pages.
    package func slow(at now: Timestamp) -> [RunRecord] {
        active.filter { run in
            let end = run.expectedEnd ?? usual.map { run.startedAt.after($0) }
            return end.map { now >= $0 } ?? false
        }
    }

    private static func buckets(
        of runs: [RunRecord], by length: Int64, least: Int64, upTo now: Timestamp
    ) -> [Bucket] {
        let index = { (moment: Timestamp) in
            (moment.milliseconds - ((moment.milliseconds % length) + length) % length) / length
        }
        let last = index(now)
        let earliest = index(now.before(span))
        let grouped = Dictionary(grouping: runs) { min(max(index($0.startedAt), earliest), last) }
        let first = min(grouped.keys.min() ?? last, last - least + 1)
        return (first...last).map { place in
            Bucket(
                start: Timestamp(milliseconds: place * length), figures: Figures(of: grouped[place] ?? []))
        }
    }
}

extension RunRecord {
    /// The duration of an ended run in milliseconds; 0 for an active run.
    var duration: Int64 { max((endedAt ?? startedAt) - startedAt, 0) }

    /// The latest end by the estimate made at the start, or nil without an estimate.
    package var expectedEnd: Timestamp? {
        opening.expected?.cases.values.map(\.longest).max().map(startedAt.after)
    }
}

extension OperationHealth {
    package struct Figures: Sendable, Hashable {
        package let succeeded: Int
        package let failed: Int
        /// The number of cancelled and interrupted runs, which count neither as successes nor as failures.
        package let stopped: Int
        /// The median duration of the successful runs, in milliseconds, or nil if there are none.
        package let p50: Int64?
        /// The 95th percentile of the successful runs' durations, in milliseconds, or nil if there are none.
        package let p95: Int64?

        init(of runs: [RunRecord]) {
            let durations = runs.filter { $0.state.phase == .succeeded }.map(\.duration)
            succeeded = durations.count
            failed = runs.count { $0.state.phase == .failed }
            stopped = runs.count { [.cancelled, .interrupted].contains($0.state.phase) }
            p50 = Self.percentile(50, of: durations)
            p95 = Self.percentile(95, of: durations)
        }

        package var ended: Int { succeeded + failed + stopped }

        /// The share of successes among the runs that succeeded or failed, from 0 to 1, or nil if there are none.
        package var successRate: Double? {
            succeeded + failed > 0 ? Double(succeeded) / Double(succeeded + failed) : nil
        }

        /// The nearest-rank percentile, or nil if there are no values.
        static func percentile(_ percent: Int, of values: [Int64]) -> Int64? {
            let rank = (values.count * percent + 99) / 100
            return values.sorted().dropFirst(max(rank - 1, 0)).first
        }
    }

    package struct StateDuration: Sendable, Hashable {
        package let caseName: String
        package let runs: Int
        /// The median time that a run spent in the state, in milliseconds.
        package let p50: Int64
        /// The 95th percentile of that time, in milliseconds.
        package let p95: Int64

        static func all(of runs: [RunView]) -> [StateDuration] {
            var (order, durations): ([String], [String: [Int64]]) = ([], [:])
            for run in runs {
                var own: [String: Int64] = [:]
                for segment in RunComparison.legs(run) {
                    guard segment.state.phase == .active, let duration = segment.duration else { continue }
                    if !order.contains(segment.state.caseName) { order.append(segment.state.caseName) }
                    let (sum, isOver) = own[segment.state.caseName, default: 0].addingReportingOverflow(duration)
                    own[segment.state.caseName] = isOver ? .max : sum
                }
                for (name, duration) in own { durations[name, default: []].append(duration) }
            }
            return order.compactMap { name in
                let values = durations[name] ?? []
                guard let p50 = Figures.percentile(50, of: values), let p95 = Figures.percentile(95, of: values) else {
                    return nil
                }
                return StateDuration(caseName: name, runs: values.count, p50: p50, p95: p95)
            }
        }
    }
}

extension VisibleBoard {
    /// The maximum number of successful runs whose states are analyzed.
    private static var detailedRuns: Int { 20 }
    /// The maximum number of changes of such a run, which bounds the time to read it.
    private static var detailedChanges: Int64 { 500 }

    /// The statistics of an operation's recent visible runs, without imported ones.
    ///
    /// Throws `unknownOperation`, and `unavailable` if the journal cannot be read.
    package func health(of operation: String, asOf now: Timestamp) async throws(BoardError) -> OperationHealth {
        try require(.see, onOperation: operation)
        let page = try await runs(
            RunQuery(
                operation: operation, startedAfter: now.before(OperationHealth.span), isImported: false,
                limit: OperationHealth.runLimit))
        var details: [RunView] = []
        let successes = page.runs.filter { $0.state.phase == .succeeded && $0.revision <= Self.detailedChanges }
        for record in successes.prefix(Self.detailedRuns) {
            do {
                details.append(try await run(record.id))
            } catch {
                // The run was removed in between.
                guard [.unknownRun, .removedRun, .deletedRun].contains(error.code) else { throw error }
            }
        }
        return OperationHealth(
            of: operation, runs: page.runs, isCut: page.next != nil, details: details, asOf: now)
    }
}
