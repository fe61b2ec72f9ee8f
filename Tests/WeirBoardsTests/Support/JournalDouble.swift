import TestSupport
import WeirFlows
import WeirJournals

/// A journal in memory that counts, waits and fails on command.
final class JournalDouble: JournalProxy {
    private struct Core {
        var error: JournalError?
        var verificationError: JournalError?
        var notices: [JournalNotice] = []
        var noteError: JournalError?
        var failsAfterAppending = false
        var outputError: JournalError?
        var failingOutputAttempts: Set<Int> = []
        var deniesOutput = false
        var outputAppends: [Int] = []
        var countsOutput = false
        var outputCount: SequenceNumber = 0
        var appends: [[ChangeDraft]] = []
        var reports: [Int] = []
        var attempts = 0
        var prunes = 0
        var reads = 0
        var undoneRuns = 0
        var readError: JournalError?
        var isUnusable = false
    }

    let inner: any Journal
    private let core = Locked(Core())
    private let door = MutableStateFlow(true)
    private let lookupDoor = MutableStateFlow(true)
    private let lookupCount = MutableStateFlow(0)
    private let attemptCount = MutableStateFlow(0)
    private let outputDoor = MutableStateFlow(true)
    private let outputAttemptCount = MutableStateFlow(0)

    init(_ inner: any Journal = MemoryJournal()) { self.inner = inner }

    /// What every append throws from now on; nil for none.
    var error: JournalError? {
        get { core.withLock { $0.error } }
        set { core.withLock { $0.error = newValue } }
    }

    /// What every look after the journal throws from now on; nil for none.
    var verificationError: JournalError? {
        get { core.withLock { $0.verificationError } }
        set { core.withLock { $0.verificationError = newValue } }
    }

    /// What every note that is set throws from now on; nil for none.
    var noteError: JournalError? {
        get { core.withLock { $0.noteError } }
        set { core.withLock { $0.noteError = newValue } }
    }

    /// What an operator should know.
    var notices: [JournalNotice] {
        get { core.withLock { $0.notices } }
        set { core.withLock { $0.notices = newValue } }
    }

    /// How many runs of an interrupted import it says that it has removed.
    var undoneRuns: Int {
        get { core.withLock { $0.undoneRuns } }
        set { core.withLock { $0.undoneRuns = newValue } }
    }

    /// What every read throws from now on; nil for none.
    var readError: JournalError? {
        get { core.withLock { $0.readError } }
        set { core.withLock { $0.readError = newValue } }
    }

    /// Whether it was told that no board can be opened on it.
    var isUnusable: Bool { core.withLock { $0.isUnusable } }
    func markUnusable() { core.withLock { $0.isUnusable = true } }

    func dismissNotice(_ id: String) async throws -> Bool {
        core.withLock { core in
            let count = core.notices.count
            core.notices.removeAll { $0.id == id }
            return core.notices.count < count
        }
    }

    func verify() async throws {
        if let verificationError { throw verificationError }
    }

    /// Whether the next append is taken and then denied.
    func failAfterAppending() { core.withLock { $0.failsAfterAppending = true } }

    /// The drafts of each append that was taken.
    var appends: [[ChangeDraft]] { core.withLock { $0.appends } }
    var prunes: Int { core.withLock { $0.prunes } }
    var reads: Int { core.withLock { $0.reads } }

    /// Makes appends wait until `release`.
    func hold() { door.value = false }
    func release() { door.value = true }

    /// The attempts to append output that fail, from 1.
    var failingOutputAttempts: Set<Int> {
        get { core.withLock { $0.failingOutputAttempts } }
        set { core.withLock { $0.failingOutputAttempts = newValue } }
    }

    /// What every append of output throws from now on; nil for none.
    var outputError: JournalError? {
        get { core.withLock { $0.outputError } }
        set { core.withLock { $0.outputError = newValue } }
    }

    /// Whether the next append of output is taken and then denied.
    func denyOutput() { core.withLock { $0.deniesOutput = true } }

    /// How many lines each append of output had that was taken.
    var outputAppends: [Int] { core.withLock { $0.outputAppends } }

    /// Keeps of all output only how much it is from now on.
    func onlyCountOutput() { core.withLock { $0.countsOutput = true } }

    /// Makes appends of output wait until `releaseOutput`.
    func holdOutput() { outputDoor.value = false }
    func releaseOutput() { outputDoor.value = true }

    /// Waits until so many appends of output have been tried.
    func outputAttempts(_ count: Int) async { _ = await outputAttemptCount.first { $0 >= count } }

    /// Makes lookups of idempotency keys wait until `releaseLookups`.
    func holdLookups() { lookupDoor.value = false }
    func releaseLookups() { lookupDoor.value = true }

    /// How many lookups of idempotency keys there were.
    var lookups: MutableStateFlow<Int> { lookupCount }

    /// Waits until so many appends have been tried.
    func attempts(_ count: Int) async { _ = await attemptCount.first { $0 >= count } }

    func report(_ reports: [Report], at now: Timestamp) async throws -> [ReportReceipt] {
        attemptCount.update { $0 + 1 }
        _ = await door.first { $0 }
        if let error { throw error }
        let receipts = try await inner.report(reports, at: now)
        let denies = core.withLock { core in
            core.reports.append(reports.count)
            defer { core.failsAfterAppending = false }
            return core.failsAfterAppending
        }
        if denies { throw JournalError(.unavailable, "The connection was lost.") }
        return receipts
    }

    /// How many reports each transaction had that was taken.
    var reports: [Int] { core.withLock { $0.reports } }

    func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        attemptCount.update { $0 + 1 }
        _ = await door.first { $0 }
        if let error { throw error }
        let changes = try await inner.append(drafts)
        let denies = core.withLock { core in
            core.appends.append(drafts)
            defer { core.failsAfterAppending = false }
            return core.failsAfterAppending
        }
        if denies { throw JournalError(.unavailable, "The connection was lost.") }
        return changes
    }

    func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int {
        core.withLock { $0.prunes += 1 }
        return try await inner.prune(policy, now: now)
    }

    func willRead(_ name: String) throws {
        if let readError { throw readError }
        core.withLock { $0.reads += 1 }
    }

    func run(idempotencyKey: String, operation: String, actor: String) async throws -> RunRecord? {
        lookupCount.update { $0 + 1 }
        _ = await lookupDoor.first { $0 }
        try willRead(#function)
        return try await inner.run(idempotencyKey: idempotencyKey, operation: operation, actor: actor)
    }
    func appendOutput(run: String, lines: [OutputDraft], after: SequenceNumber?) async throws -> SequenceNumber {
        let attempt = outputAttemptCount.update { $0 + 1 }.new
        _ = await outputDoor.first { $0 }
        if let outputError { throw outputError }
        if failingOutputAttempts.contains(attempt) { throw JournalError(.full, "The disk is full.") }
        let counted = core.withLock { core -> SequenceNumber? in
            guard core.countsOutput else { return nil }
            core.outputCount = core.outputCount.advanced(by: lines.count)
            return core.outputCount
        }
        if let counted { return counted }
        let last = try await inner.appendOutput(run: run, lines: lines, after: after)
        let denies = core.withLock { core in
            core.outputAppends.append(lines.count)
            defer { core.deniesOutput = false }
            return core.deniesOutput
        }
        if denies { throw JournalError(.unavailable, "The connection was lost.") }
        return last
    }
    func outputCount(of run: String) async throws -> SequenceNumber { try await inner.outputCount(of: run) }
    func setNote(_ name: String, _ text: String?) async throws {
        if let noteError { throw noteError }
        try await inner.setNote(name, text)
    }
}
