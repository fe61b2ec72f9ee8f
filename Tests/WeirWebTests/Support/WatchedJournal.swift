import NIOConcurrencyHelpers
import WeirJournals

/// A journal in memory that counts what is asked of it, and refuses to write when told to.
final class WatchedJournal: Journal, Sendable {
    private struct State {
        var reads: [String] = []
        var longest = 0
        var appends: [Int] = []
        var refuses = false
        var notices: [JournalNotice] = []
    }

    let inner: any Journal = MemoryJournal(epoch: "watchedepoch1")
    private let state = NIOLockedValueBox(State())

    /// The questions so far, by name.
    var reads: [String] { state.withLockedValue { $0.reads } }
    /// The most changes, lines or runs that were read together so far.
    var longestRead: Int { state.withLockedValue { $0.longest } }
    /// How many changes each append had.
    var appends: [Int] { state.withLockedValue { $0.appends } }

    /// Whether every append is refused from now on.
    func refuse(_ refuses: Bool) { state.withLockedValue { $0.refuses = refuses } }

    var epoch: String { inner.epoch }
    var began: Timestamp { inner.began }

    func report(_ reports: [Report], at now: Timestamp) async throws -> [ReportReceipt] {
        if state.withLockedValue({ $0.refuses }) { throw JournalError(.full, "The disk is full.") }
        return try await inner.report(reports, at: now)
    }

    /// What an operator should know.
    var notices: [JournalNotice] {
        get { state.withLockedValue { $0.notices } }
        set { state.withLockedValue { $0.notices = newValue } }
    }

    func dismissNotice(_ id: String) async throws -> Bool {
        state.withLockedValue { state in
            let count = state.notices.count
            state.notices.removeAll { $0.id == id }
            return state.notices.count < count
        }
    }

    func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        let refuses = state.withLockedValue { state in
            if !state.refuses { state.appends.append(drafts.count) }
            return state.refuses
        }
        if refuses { throw JournalError(.full, "The disk is full.") }
        return try await inner.append(drafts)
    }

    private func counted<Element>(_ list: [Element]) -> [Element] {
        state.withLockedValue { $0.longest = max($0.longest, list.count) }
        return list
    }

    private func asked(_ name: String = #function) { state.withLockedValue { $0.reads.append(name) } }

    func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) async throws -> RunPast? {
        asked()
        return try await inner.past(of: run, at: sequence, transitions: limit)
    }
    func activeRuns(of operation: String, at sequence: SequenceNumber) async throws -> Int {
        asked()
        return try await inner.activeRuns(of: operation, at: sequence)
    }
    func head() async throws -> SequenceNumber {
        asked()
        return try await inner.head()
    }
    func floor(of topic: Topic) async throws -> SequenceNumber {
        asked()
        return try await inner.floor(of: topic)
    }
    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) async throws
        -> [Change]
    {
        asked()
        return counted(try await inner.changes(of: topic, after: after, through: last, limit: limit))
    }
    func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) async throws -> [Change] {
        asked()
        return try await inner.newestChanges(of: topic, through: sequence, limit: limit)
    }
    func run(_ id: String) async throws -> RunRecord? {
        asked()
        return try await inner.run(id)
    }
    func run(idempotencyKey: String, operation: String, actor: String) async throws -> RunRecord? {
        asked()
        return try await inner.run(idempotencyKey: idempotencyKey, operation: operation, actor: actor)
    }
    func runs(_ query: RunQuery) async throws -> RunPage {
        asked()
        let page = try await inner.runs(query)
        _ = counted(page.runs)
        return page
    }
    func counts() async throws -> [RunCount] {
        asked()
        return try await inner.counts()
    }
    func unfinishedRuns() async throws -> [RunRecord] {
        asked()
        return try await inner.unfinishedRuns()
    }
    func output(of run: String, after number: SequenceNumber, limit: Int) async throws -> [OutputLine] {
        asked()
        return counted(try await inner.output(of: run, after: number, limit: limit))
    }
    func output(of run: String, numbers: [SequenceNumber]) async throws -> [OutputLine] {
        asked()
        return counted(try await inner.output(of: run, numbers: numbers))
    }
    func outputCount(of run: String) async throws -> SequenceNumber {
        asked()
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
