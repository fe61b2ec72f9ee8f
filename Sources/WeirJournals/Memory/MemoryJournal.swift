import Foundation
import WeirStates

/// A journal that lasts as long as the process: for tests, demonstrations, and boards without a past.
///
/// It applies its retention policy by itself, so that it does not grow without limit.
public actor MemoryJournal: Journal {
    /// Identifies this history.
    package nonisolated let epoch: String
    /// When this history began.
    package nonisolated let began: Timestamp

    private let retention: RetentionPolicy
    private var log = MemoryLog()
    private var endedSincePrune = 0
    private var stepsSincePrune = 0
    private var notes: [String: String] = [:]

    /// Creates an empty journal.
    ///
    /// It prunes itself by the policy as runs end, taking the time from their changes.
    public init(
        epoch: String? = nil, began: Timestamp? = nil,
        retention: RetentionPolicy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 1_000)
    ) {
        self.epoch = epoch ?? JournalEpoch.make()
        self.began = began ?? Timestamp(Date())
        self.retention = retention
    }

    /// Adds the drafts in their order, all or none.
    package func append(_ drafts: [ChangeDraft]) throws -> [Change] {
        let changes = try log.append(drafts)
        prune(after: drafts)
        return changes
    }

    private func prune(after drafts: [ChangeDraft]) {
        endedSincePrune += drafts.count { $0.step == nil && $0.state.phase.isEnded }
        stepsSincePrune += drafts.count { $0.step != nil }
        // Pruning walks all changes, so it waits until there is enough to remove.
        if endedSincePrune > 64 + log.runCount / 8 || stepsSincePrune > 8_192, let now = drafts.last?.at {
            endedSincePrune = 0
            stepsSincePrune = 0
            log.prune(retention, now: now)
        }
    }

    /// Takes what reporters sent, each report wholly or not at all.
    package func report(_ reports: [Report], at now: Timestamp) throws -> [ReportReceipt] {
        let receipts = try log.report(reports, at: now)
        prune(after: receipts.flatMap(\.changes).map(\.draft))
        return receipts
    }

    /// The sequence of the last change.
    package func head() -> SequenceNumber { log.head }

    /// The sequence of the topic's last change that is no longer kept.
    package func floor(of topic: Topic) -> SequenceNumber { log.floor(of: topic) }

    /// The topic's changes after one sequence up to another, oldest first.
    package func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) -> [Change]
    {
        log.changes(of: topic, after: after, through: last ?? .max, limit: limit)
    }

    /// The topic's newest changes at or before a sequence, oldest first.
    package func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) -> [Change] {
        log.newestChanges(of: topic, through: sequence, limit: limit)
    }

    /// The run with that id, if it is kept.
    package func run(_ id: String) -> RunRecord? { log.run(id) }

    /// A run at a moment of its past, and as it is now.
    package func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) -> RunPast? {
        log.past(of: run, at: sequence ?? .max, limit: limit)
    }

    /// How many runs of an operation had begun and not ended right after a sequence.
    package func activeRuns(of operation: String, at sequence: SequenceNumber) -> Int {
        log.activeRuns(of: operation, at: sequence)
    }

    /// The newest run of an operation that an actor started under that key, if one is kept.
    package func run(idempotencyKey: String, operation: String, actor: String) -> RunRecord? {
        log.run(idempotencyKey: idempotencyKey, operation: operation, actor: actor)
    }

    /// The runs that match, newest first.
    package func runs(_ query: RunQuery) -> RunPage { log.runs(query) }

    /// How many runs of each operation are in each phase.
    package func counts() -> [RunCount] { log.counts() }

    /// The runs that have not ended, oldest first.
    package func unfinishedRuns() -> [RunRecord] { log.unfinishedRuns() }

    /// Removes whole ended runs according to the policy.
    package func prune(_ policy: RetentionPolicy, now: Timestamp) -> Int { log.prune(policy, now: now) }

    /// What pruning would remove.
    package func forecast(_ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber)
        -> RetentionForecast
    {
        log.forecast(policy, now: now, after: sequence)
    }

    /// Adds lines to the output of a run.
    package func appendOutput(run: String, lines: [OutputDraft]) throws -> SequenceNumber {
        try log.appendOutput(run: run, lines: lines)
    }

    /// The lines of a run's output after a number, oldest first.
    package func output(of run: String, after number: SequenceNumber, limit: Int) -> [OutputLine] {
        log.output(of: run, after: number, limit: limit)
    }

    /// The number of lines of a run's output.
    package func outputCount(of run: String) -> SequenceNumber { log.outputCount(of: run) }

    /// Adds entries of an import in their order, all or none.
    package func addImported(_ entries: [ImportedEntry], at now: Timestamp) throws {
        try log.addImported(entries, at: now)
    }

    /// Ends the open import: everything it added stays.
    package func commitImport() { log.commitImport() }

    /// Removes every run that the open import added.
    package func rollBackImport() -> Int { log.rollBackImport() }

    /// The text that is stored under a name.
    package func note(_ name: String) -> String? { notes[name] }

    /// Stores a text under a name.
    package func setNote(_ name: String, _ text: String?) { notes[name] = text }

    /// Nothing to let go of.
    package func close() {}
}
