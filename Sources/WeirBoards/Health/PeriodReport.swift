import WeirAccess
import WeirOperations
package import Foundation
package import WeirJournals
import WeirStates

/// The runs of a period over all visible operations, compared with the same time before.
package struct PeriodReport: Sendable {
    /// The maximum number of runs that are read, of both periods.
    package static let runLimit = 10_000
    /// The maximum number of runs that are read, including those of steps.
    static let readLimit = 50_000
    /// The minimum number of successes in each period, and the probability below which an operation counts as slower.
    package static let test = (least: 8, probability: 0.01)
    static let listLimit = 20

    package struct Row: Sendable {
        package let operation: String
        package let figures: OperationHealth.Figures
        package let before: OperationHealth.Figures
        /// Whether successful runs took longer than before: by the test, and by a tenth of the median.
        package let isSlower: Bool
        package let newestFailure: RunRecord?
    }

    /// The runs of a person, or of the operations with a tag.
    package struct Group: Sendable, Hashable {
        package let name: String
        package let ended: Int
        package let failed: Int
    }

    /// A scheduled start that did not happen.
    package struct MissedStart: Sendable, Hashable {
        package let operation: String
        package let time: Timestamp
        package let count: Int
        /// Why the start was refused; nil for a time that passed.
        package let refusal: String?

        package init(operation: String, time: Timestamp, count: Int, refusal: String?) {
            (self.operation, self.time, self.count, self.refusal) = (operation, time, count, refusal)
        }
    }

    package let from: Timestamp
    package let to: Timestamp
    /// Whether the oldest runs were left out.
    package let isCut: Bool
    package let figures: OperationHealth.Figures
    /// The figures of the same time before.
    package let before: OperationHealth.Figures
    /// The zone of its weeks.
    package let zone: TimeZone
    /// The operations, most failures first.
    package let rows: [Row]
    package let actors: [Group]
    package let errors: [OperationHealth.ErrorGroup]
    package let missed: [MissedStart]
    /// How many runs are of each attempt, in the order of attempts.
    package let attempts: [(attempt: Int64, count: Int)]

    /// The starts that did not happen, one for each operation and reason, with the time of the newest.
    package var missedByReason: [MissedStart] {
        var groups: [MissedStart] = []
        for start in missed {
            guard
                let place = groups.firstIndex(where: { ($0.operation, $0.refusal) == (start.operation, start.refusal) })
            else {
                groups.append(start)
                continue
            }
            groups[place] = MissedStart(
                operation: start.operation, time: max(groups[place].time, start.time),
                count: groups[place].count + start.count, refusal: start.refusal)
        }
        return groups
    }

    /// The number of runs that retried another.
    package var retries: Int { attempts.reduce(0) { $0 + ($1.attempt > 1 ? $1.count : 0) } }

    /// The runs of the operations with each tag, most failures first.
    package func tags(in catalog: Catalog) -> [Group] {
        var tags: [String: (ended: Int, failed: Int)] = [:]
        for row in rows {
            for tag in catalog[row.operation]?.tags ?? [] {
                tags[tag, default: (0, 0)].ended += row.figures.ended
                tags[tag, default: (0, 0)].failed += row.figures.failed
            }
        }
        return tags.map { Group(name: $0, ended: $1.ended, failed: $1.failed) }
            .sorted { ($1.failed, $0.name) < ($0.failed, $1.name) }
    }

    /// Computes the report from runs that began since the same time before `from`.
    package init(
        from: Timestamp, to: Timestamp, runs: [RunRecord], isCut: Bool, missed: [MissedStart],
        attempts: [AttemptCount] = [], zone: TimeZone = .gmt
    ) {
        self.attempts = Dictionary(grouping: attempts, by: \.attempt).sorted { $0.key < $1.key }
            .map { (attempt: $0, count: $1.reduce(0) { $0 + $1.count }) }
        (self.from, self.to, self.isCut, self.missed, self.zone) = (from, to, isCut, missed, zone)
        let ended = runs.filter { $0.endedAt != nil }
        let within = ended.filter { $0.startedAt >= from }
        let past = ended.filter { $0.startedAt < from }
        let earlier = Dictionary(grouping: past, by: \.operation)
        (figures, before) = (.init(of: within), .init(of: past))
        rows = Dictionary(grouping: within, by: \.operation).map { operation, runs in
            Self.row(operation, runs, earlier[operation] ?? [])
        }.sorted { ($1.figures.failed, $0.operation) < ($0.figures.failed, $1.operation) }
        actors = Array(
            Dictionary(grouping: within, by: \.opening.actor).map { name, runs in
                Group(name: name, ended: runs.count, failed: runs.count { $0.state.phase == .failed })
            }.sorted { ($1.failed, $1.ended, $0.name) < ($0.failed, $0.ended, $1.name) }.prefix(Self.listLimit))
        let failed = within.filter { $0.state.phase == .failed }
        errors = Array(OperationHealth.ErrorGroup.groups(of: failed).prefix(Self.listLimit))
    }

    private static func row(_ operation: String, _ runs: [RunRecord], _ earlier: [RunRecord]) -> Row {
        let durations = [runs, earlier].map { $0.filter { $0.state.phase == .succeeded }.map(\.duration) }
        let (figures, before) = (OperationHealth.Figures(of: runs), OperationHealth.Figures(of: earlier))
        let isEnough = durations.allSatisfy { $0.count >= test.least }
        let isLonger = Double(figures.p50 ?? 0) >= 1.1 * Double(before.p50 ?? 0)
        return Row(
            operation: operation, figures: figures, before: before,
            isSlower: isEnough && isLonger
                && RankTest.probability(later: durations[0], earlier: durations[1]) < test.probability,
            newestFailure: runs.filter { $0.state.phase == .failed }.max { $0.openedSequence < $1.openedSequence })
    }
}

extension VisibleBoard {
    private static var pageSize: Int { 500 }

    /// How many visible runs of a period are of each attempt.
    package func reportedAttempts(from: Timestamp, to: Timestamp) async throws(BoardError) -> [AttemptCount] {
        try await board.attempts(from: from, to: to).filter {
            visibility.sees(operation: $0.operation) && isReported($0.operation)
        }
    }

    private func isReported(_ operation: String) -> Bool {
        guard let entry = catalog[operation] else { return true }
        if case .whileWatched = entry.lifetime { return false }
        return entry.partOf == nil
    }

    /// The visible runs for a report, newest first, and the starts that did not happen.
    ///
    /// Without imported runs, those of steps, which their whole counts, and those that last while a page shows them.
    ///
    /// Throws `unavailable` if the journal cannot be read.
    package func reportedPeriod(
        from: Timestamp, to: Timestamp
    ) async throws(BoardError) -> (runs: [RunRecord], isCut: Bool, missed: [PeriodReport.MissedStart]) {
        var query = RunQuery(
            startedAfter: from.before(max(to - from, 0)), startedBefore: to, isImported: false, limit: Self.pageSize)
        var (records, read): ([RunRecord], Int) = ([], 0)
        while true {
            let page = try await runs(query)
            read += page.runs.count
            records += page.runs.filter { isReported($0.operation) }
            guard let next = page.next else { break }
            if records.count >= PeriodReport.runLimit || read >= PeriodReport.readLimit {
                return (records, true, missedStarts(from, to))
            }
            query.before = next
        }
        return (records, false, missedStarts(from, to))
    }

    private func missedStarts(_ from: Timestamp, _ to: Timestamp) -> [PeriodReport.MissedStart] {
        board.scheduleStandings.flatMap { id, standing -> [PeriodReport.MissedStart] in
            guard visibility.sees(operation: id) else { return [] }
            return standing.unstarted.filter { $0.time >= from && $0.time < to }.map {
                PeriodReport.MissedStart(operation: id, time: $0.time, count: $0.count, refusal: $0.refusal)
            }
        }.sorted { ($0.time, $0.operation) < ($1.time, $1.operation) }
    }
}
