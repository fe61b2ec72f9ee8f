import Foundation
import WeirStates

/// A journal in memory, for tests, demonstrations, and boards without a history.
///
/// It applies its retention policy itself, so that it does not grow without limit.
public actor MemoryJournal: Journal {
    package nonisolated let epoch: String
    package nonisolated let began: Timestamp

    private let retention: RetentionPolicy
    private var log = MemoryLog()
    private var endedSincePrune = 0
    private var stepsSincePrune = 0
    private var notes: [String: String] = [:]

    /// Creates an empty journal.
    ///
    /// It prunes itself by the policy as runs end, using the times of their changes.
    public init(
        epoch: String? = nil, began: Timestamp? = nil,
        retention: RetentionPolicy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 1_000)
    ) {
        self.epoch = epoch ?? JournalEpoch.make()
        self.began = began ?? Timestamp(Date())
        self.retention = retention
    }

    package func append(_ drafts: [ChangeDraft]) throws -> [Change] {
        let changes = try log.append(drafts)
        prune(after: drafts)
        return changes
    }

    private func prune(after drafts: [ChangeDraft]) {
        endedSincePrune += drafts.count { $0.step == nil && $0.state.phase.isEnded }
        stepsSincePrune += drafts.count { $0.step != nil }
        // Pruning scans all changes, so it waits until enough can be removed.
        if endedSincePrune > 64 + log.runCount / 8 || stepsSincePrune > 8_192, let now = drafts.last?.at {
            endedSincePrune = 0
            stepsSincePrune = 0
            log.prune(retention, now: now)
        }
    }

    package func report(_ reports: [Report], at now: Timestamp) throws -> [ReportReceipt] {
        let receipts = try log.report(reports, at: now)
        prune(after: receipts.flatMap(\.changes).map(\.draft))
        return receipts
    }

    package func head() -> SequenceNumber { log.head }

    package func floor(of topic: Topic) -> SequenceNumber { log.floor(of: topic) }

    package func pruned(of topic: Topic) -> SequenceNumber { log.pruned(of: topic) }

    package func delete(_ runs: [String], by actor: String, at now: Timestamp) throws -> [RunDeletionOutcome] {
        try runs.map { try log.delete($0, by: actor, at: now) }
    }

    package func finishDeletion() {}

    package func deletions(after: SequenceNumber, through last: SequenceNumber, limit: Int) -> [RunDeletion] {
        let start = log.deletions.partitioningIndex { $0.sequence > after }
        return log.deletions[start...].prefix(max(0, limit)).prefix { $0.sequence <= last }
    }

    package func deletion(of run: String) -> RunDeletion? {
        log.run(run) == nil ? log.deletions.last { $0.run == run } : nil
    }

    package func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) -> [Change]
    {
        log.changes(of: topic, after: after, through: last ?? .max, limit: limit)
    }

    package func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) -> [Change] {
        log.newestChanges(of: topic, through: sequence, limit: limit)
    }

    package func run(_ id: String) -> RunRecord? { log.run(id) }

    package func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) -> RunPast? {
        log.past(of: run, at: sequence ?? .max, limit: limit)
    }

    package func activeRuns(of operation: String, at sequence: SequenceNumber) -> Int {
        log.activeRuns(of: operation, at: sequence)
    }

    package func run(idempotencyKey: String, operation: String, actor: String) -> RunRecord? {
        log.run(idempotencyKey: idempotencyKey, operation: operation, actor: actor)
    }

    package func runs(_ query: RunQuery) -> RunPage { log.runs(query) }

    package func counts() -> [RunCount] { log.counts() }

    package func unfinishedRuns() -> [RunRecord] { log.unfinishedRuns() }

    package func prune(_ policy: RetentionPolicy, now: Timestamp) -> Int { log.prune(policy, now: now) }

    package func forecast(_ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber)
        -> RetentionForecast
    {
        log.forecast(policy, now: now, after: sequence)
    }

    package func appendOutput(run: String, lines: [OutputDraft], after: SequenceNumber?) throws -> SequenceNumber {
        if try JournalError.areAppended(lines, to: run, after: after, count: outputCount(of: run)) {
            return outputCount(of: run)
        }
        return try log.appendOutput(run: run, lines: lines)
    }

    package func output(of run: String, after number: SequenceNumber, limit: Int) -> [OutputLine] {
        log.output(of: run, after: number, limit: limit)
    }

    package func output(of run: String, numbers: [SequenceNumber]) -> [OutputLine] {
        numbers.flatMap { number in
            log.output(of: run, after: number.previous, limit: 1).filter { $0.number == number }
        }
    }

    package func outputCount(of run: String) -> SequenceNumber { log.outputCount(of: run) }

    package func addImported(_ entries: [ImportedEntry], at now: Timestamp) throws {
        try log.addImported(entries, at: now)
    }

    package func commitImport() { log.commitImport() }

    package func rollBackImport() -> Int { log.rollBackImport() }

    package func note(_ name: String) -> String? { notes[name] }

    package func setNote(_ name: String, _ text: String?) { notes[name] = text }

    package func close() {}
}
