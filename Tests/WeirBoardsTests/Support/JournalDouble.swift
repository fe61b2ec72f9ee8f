import TestSupport
import WeirFlows
import WeirJournals

/// A journal in memory that counts, waits and fails on command.
@dynamicMemberLookup
final class JournalDouble: JournalProxy {
    struct Core {
        /// What every append throws from now on; nil for none.
        var error: JournalError?
        /// What every look after the journal throws from now on; nil for none.
        var verificationError: JournalError?
        var notices: [JournalNotice] = []
        /// What every note that is set throws from now on; nil for none.
        var noteError: JournalError?
        fileprivate var failsAfterAppending = false
        /// What every append of output throws from now on; nil for none.
        var outputError: JournalError?
        /// The attempts to append output that fail, from 1.
        var failingOutputAttempts: Set<Int> = []
        fileprivate var deniesOutput = false
        /// How many lines each append of output had that was taken.
        var outputAppends: [Int] = []
        fileprivate var countsOutput = false
        fileprivate var outputCount: SequenceNumber = 0
        /// The drafts of each append that was taken.
        var appends: [[ChangeDraft]] = []
        /// How many reports each transaction had that was taken.
        var reports: [Int] = []
        var prunes = 0
        /// How many transactions deleted runs.
        var deletes = 0
        var reads = 0
        var undoneRuns = 0
        /// What every read throws from now on; nil for none.
        var readError: JournalError?
        /// Whether it was told that no board can be opened on it.
        var isUnusable = false
    }

    let inner: any Journal
    private let core = Locked(Core())
    private let door = MutableStateFlow(true)
    private let lookupDoor = MutableStateFlow(true)
    private let lookupCount = MutableStateFlow(0)
    private let attemptCount = MutableStateFlow(0)
    private let outputDoor = MutableStateFlow(true)
    private let finishDoor = MutableStateFlow(true)
    private let outputAttemptCount = MutableStateFlow(0)

    init(_ inner: any Journal = MemoryJournal()) { self.inner = inner }

    subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<Core, Value>) -> Value {
        get { core.withLock { $0[keyPath: path] } }
        set { core.withLock { $0[keyPath: path] = newValue } }
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

    func markUnusable() { core.withLock { $0.isUnusable = true } }

    func dismissNotice(_ id: String) async throws -> Bool {
        core.withLock { core in
            let count = core.notices.count
            core.notices.removeAll { $0.id == id }
            return core.notices.count < count
        }
    }

    func verify() async throws {
        if let error = self.verificationError { throw error }
    }

    /// Whether the next append is taken and then denied.
    func failAfterAppending() { core.withLock { $0.failsAfterAppending = true } }

    /// Makes appends wait until `release`.
    func hold() { door.value = false }
    func release() { door.value = true }

    /// Whether the next append of output is taken and then denied.
    func denyOutput() { core.withLock { $0.deniesOutput = true } }

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
        if let error = self.error { throw error }
        let receipts = try await inner.report(reports, at: now)
        let denies = core.withLock { core in
            core.reports.append(reports.count)
            defer { core.failsAfterAppending = false }
            return core.failsAfterAppending
        }
        if denies { throw JournalError(.unavailable, "The connection was lost.") }
        return receipts
    }

    func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        attemptCount.update { $0 + 1 }
        _ = await door.first { $0 }
        if let error = self.error { throw error }
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

    func delete(_ runs: [String], by actor: String, at now: Timestamp) async throws -> [RunDeletionOutcome] {
        core.withLock { $0.deletes += 1 }
        return try await inner.delete(runs, by: actor, at: now)
    }

    /// Makes the removal of deleted rows wait until `releaseFinishing`.
    func holdFinishing() { finishDoor.value = false }
    func releaseFinishing() { finishDoor.value = true }
    func finishDeletion() async throws {
        _ = await finishDoor.first { $0 }
        try await inner.finishDeletion()
    }

    func willRead(_ name: String) throws {
        if let error = self.readError { throw error }
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
        if let error = self.outputError { throw error }
        if self.failingOutputAttempts.contains(attempt) { throw JournalError(.full, "The disk is full.") }
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
        if let error = self.noteError { throw error }
        try await inner.setNote(name, text)
    }
}
