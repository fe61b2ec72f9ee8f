import Journals
import NIOConcurrencyHelpers

/// A journal in memory that counts what is asked of it, and refuses to write when told to.
final class WatchedJournal: Journal, Sendable {
    private struct State {
        var reads: [String] = []
        var appends: [Int] = []
        var refuses = false
    }

    private let inner: any Journal = MemoryJournal(epoch: "watchedepoch1")
    private let state = NIOLockedValueBox(State())

    /// The questions so far, by name.
    var reads: [String] { state.withLockedValue { $0.reads } }
    /// How many changes each append had.
    var appends: [Int] { state.withLockedValue { $0.appends } }

    /// Whether every append is refused from now on.
    func refuse(_ refuses: Bool) { state.withLockedValue { $0.refuses = refuses } }

    var epoch: String { inner.epoch }

    func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        let refuses = state.withLockedValue { state in
            if !state.refuses { state.appends.append(drafts.count) }
            return state.refuses
        }
        if refuses { throw JournalError(.full, "The disk is full.") }
        return try await inner.append(drafts)
    }

    private func asked(_ name: String = #function) { state.withLockedValue { $0.reads.append(name) } }

    func past(of run: String, at sequence: Int64?, transitions limit: Int) async throws -> RunPast? {
        asked()
        return try await inner.past(of: run, at: sequence, transitions: limit)
    }
    func activeRuns(of operation: String, at sequence: Int64) async throws -> Int {
        asked()
        return try await inner.activeRuns(of: operation, at: sequence)
    }
    func head() async throws -> Int64 {
        asked()
        return try await inner.head()
    }
    func floor(of topic: Topic) async throws -> Int64 {
        asked()
        return try await inner.floor(of: topic)
    }
    func changes(of topic: Topic, after: Int64, through last: Int64?, limit: Int) async throws -> [Change] {
        asked()
        return try await inner.changes(of: topic, after: after, through: last, limit: limit)
    }
    func newestChanges(of topic: Topic, through sequence: Int64, limit: Int) async throws -> [Change] {
        asked()
        return try await inner.newestChanges(of: topic, through: sequence, limit: limit)
    }
    func run(_ id: String) async throws -> RunRecord? {
        asked()
        return try await inner.run(id)
    }
    func run(idempotencyKey: String) async throws -> RunRecord? {
        asked()
        return try await inner.run(idempotencyKey: idempotencyKey)
    }
    func runs(_ query: RunQuery) async throws -> RunPage {
        asked()
        return try await inner.runs(query)
    }
    func counts() async throws -> [RunCount] {
        asked()
        return try await inner.counts()
    }
    func unfinishedRuns() async throws -> [RunRecord] {
        asked()
        return try await inner.unfinishedRuns()
    }
    func output(of run: String, after number: Int64, limit: Int) async throws -> [OutputLine] {
        asked()
        return try await inner.output(of: run, after: number, limit: limit)
    }
    func outputCount(of run: String) async throws -> Int64 {
        asked()
        return try await inner.outputCount(of: run)
    }
    func appendOutput(run: String, lines: [OutputDraft]) async throws -> Int64 {
        try await inner.appendOutput(run: run, lines: lines)
    }
    func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int {
        try await inner.prune(policy, now: now)
    }
    func importEntries(
        at now: Timestamp, _ next: @escaping @Sendable () throws -> ExportedEntry?
    ) async throws -> ImportReport {
        try await inner.importEntries(at: now, next)
    }
    func close() async { await inner.close() }
}
