package import WeirJournals
import WeirStates

/// How an operation has done lately: how often it succeeded, how long that took, and what failed.
///
/// Pure: computed from the newest runs of the last 30 days and a moment. Of runs that ended before they began, because the
/// clock was set back, the duration is 0; runs that began after the moment count as of the moment.
package struct OperationHealth: Sendable, Hashable {
    /// How many runs are looked at, the newest.
    package static let runLimit = 1_000
    /// How far back runs are looked at, in milliseconds.
    package static let span: Int64 = 30 * day
    /// How many entries each list has at most.
    static let listLimit = 5
    /// How many successes there must be before it is known what is usual.
    static let leastSuccesses = 5
    private static let day: Int64 = 86_400_000
    private static let hour: Int64 = 3_600_000

    /// What was counted of the runs that began in one day or hour.
    package struct Bucket: Sendable, Hashable {
        /// When the day or hour begins, in UTC.
        package let start: Timestamp
        /// Its figures.
        package let figures: Figures
    }

    /// The operation's id.
    package let operation: String
    /// The moment that it is computed for.
    package let asOf: Timestamp
    /// Whether there are older runs within the span that were not looked at.
    package let isCut: Bool
    /// Of all runs that ended.
    package let figures: Figures
    /// Whether a bucket is an hour rather than a day, since all runs began within the last day.
    package let isHourly: Bool
    /// The figures over time, without gaps, oldest first, up to the moment: 7 to 31 days, or 25 hours.
    package let buckets: [Bucket]
    /// The runs that took longest of those that succeeded or failed, the longest first.
    package let slowest: [RunRecord]
    /// The runs that continue, oldest first.
    package let active: [RunRecord]
    /// What failed, grouped by sentence, the most frequent first.
    package let errors: [ErrorGroup]
    /// The inputs that failed most.
    package let inputs: [FailingInput]
    /// How long the newest successes were in each state, in the order in which the states were entered.
    package let states: [StateDuration]

    /// Computes it.
    ///
    /// - Parameters:
    ///   - operation: The operation's id.
    ///   - runs: Its runs, newest first; of other operations there are none among them.
    ///   - isCut: Whether there were more.
    ///   - details: The newest of its successes with the states that they passed through.
    ///   - now: The moment.
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

    /// The duration above which a run is slower than usual, in milliseconds: that which 95 % of the successes did not
    /// exceed; nil with fewer than five successes.
    package var usual: Int64? { figures.succeeded >= Self.leastSuccesses ? figures.p95 : nil }

    /// The runs that continue past the time that is usual at a moment, oldest first.
    ///
    /// What was estimated when a run began has precedence: its other pages say the same.
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
    /// How long an ended run took, in milliseconds; 0 for one that continues.
    package var duration: Int64 { max((endedAt ?? startedAt) - startedAt, 0) }

    /// When the run should have ended at the latest by the estimate of its start; nil without an estimate.
    package var expectedEnd: Timestamp? {
        opening.expected?.cases.values.map(\.longest).max().map(startedAt.after)
    }
}
