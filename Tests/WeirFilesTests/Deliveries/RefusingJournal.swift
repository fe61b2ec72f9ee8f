import WeirFlows
import WeirJournals

/// A journal in memory that can refuse to count the output of runs, and remove a run.
final class RefusingJournal: Journal, Sendable {
    private let inner: any Journal = MemoryJournal(epoch: "testepoch0001")
    private let state = Locked<(refuses: Bool, refused: Int, removed: Set<String>)>((false, 0, []))

    /// How often it has refused.
    var refused: Int { state.withLock { $0.refused } }

    /// Whether it refuses from now on.
    func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    /// Keeps a run no more, as if it were removed right after its changes have been read.
    func remove(_ run: String) { state.withLock { _ = $0.removed.insert(run) } }

    var epoch: String { inner.epoch }
    var began: Timestamp { inner.began }

    func report(_ reports: [Report], at now: Timestamp) async throws -> [ReportReceipt] {
        try await inner.report(reports, at: now)
    }
    func append(_ drafts: [ChangeDraft]) async throws -> [Change] { try await inner.append(drafts) }

    func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) async throws -> RunPast? {
        guard !state.withLock({ $0.removed.contains(run) }) else { return nil }
        return try await inner.past(of: run, at: sequence, transitions: limit)
    }
    func activeRuns(of operation: String, at sequence: SequenceNumber) async throws -> Int {
        try await inner.activeRuns(of: operation, at: sequence)
    }
    func head() async throws -> SequenceNumber {
        try await inner.head()
    }
    func floor(of topic: Topic) async throws -> SequenceNumber {
        try await inner.floor(of: topic)
    }
    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) async throws
        -> [Change]
    {
        try await inner.changes(of: topic, after: after, through: last, limit: limit)
    }
    func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) async throws -> [Change] {
        try await inner.newestChanges(of: topic, through: sequence, limit: limit)
    }
    func run(_ id: String) async throws -> RunRecord? {
        try await inner.run(id)
    }
    func run(idempotencyKey: String, operation: String, actor: String) async throws -> RunRecord? {
        try await inner.run(idempotencyKey: idempotencyKey, operation: operation, actor: actor)
    }
    func runs(_ query: RunQuery) async throws -> RunPage {
        try await inner.runs(query)
    }
    func counts() async throws -> [RunCount] {
        try await inner.counts()
    }
    func unfinishedRuns() async throws -> [RunRecord] {
        try await inner.unfinishedRuns()
    }
    func output(of run: String, after number: SequenceNumber, limit: Int) async throws -> [OutputLine] {
        try await inner.output(of: run, after: number, limit: limit)
    }
    func output(of run: String, numbers: [SequenceNumber]) async throws -> [OutputLine] {
        try await inner.output(of: run, numbers: numbers)
    }
    func outputCount(of run: String) async throws -> SequenceNumber {
        let refuses = state.withLock { state in
            if state.refuses { state.refused += 1 }
            return state.refuses
        }
        if refuses { throw JournalError(.unavailable, "The journal is away.") }
        return try await inner.outputCount(of: run)
    }
    func appendOutput(run: String, lines: [OutputDraft], after: SequenceNumber?) async throws -> SequenceNumber {
        try await inner.appendOutput(run: run, lines: lines, after: after)
    }
    func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int {
        try await inner.prune(policy, now: now)
    }
    func addImported(_ entries: [ImportedEntry], at now: Timestamp) async throws {
        try await inner.addImported(entries, at: now)
    }
    func commitImport() async throws { try await inner.commitImport() }
    func rollBackImport() async throws -> Int { try await inner.rollBackImport() }
    func forecast(
        _ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber
    ) async throws -> RetentionForecast {
        try await inner.forecast(policy, now: now, after: sequence)
    }
    func note(_ name: String) async throws -> String? { try await inner.note(name) }
    func setNote(_ name: String, _ text: String?) async throws { try await inner.setNote(name, text) }
    func close() async { await inner.close() }
}
