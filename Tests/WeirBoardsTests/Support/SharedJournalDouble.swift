import TestSupport
import WeirFlows
@testable import WeirJournals

/// A journal in memory that several boards share, as servers share one in a database.
@dynamicMemberLookup
final class ClusterDouble: Sendable {
    struct Core {
        var recording: String
        fileprivate var nodes: [String: JournalNode] = [:]
        /// How often each server has tried to say that it is there.
        var tries: [String: Int] = [:]
        /// What every look for changes throws from now on; nil for nothing.
        var readError: JournalError?
        /// What handing a command over throws from now on, after it has happened; nil for nothing.
        var handError: JournalError?
        /// What withdrawing a command throws from now on; nil for nothing.
        var withdrawError: JournalError?
        /// What answering a command throws from now on, before it happens; nil for nothing.
        var answerError: JournalError?
        var notices: [JournalNotice] = []
        var assignments: [RunAssignment] = []
        fileprivate var places: Int64 = 0
    }

    let journal = MemoryJournal()
    let commands = MemoryCommands()
    private let core: Locked<Core>
    /// Counts what a server may have to look at.
    let bell = MutableStateFlow(0)

    /// Begins with a server that records.
    init(recording: String) async {
        core = Locked(Core(recording: recording))
        await commands.takeOver(recording)
    }

    subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<Core, Value>) -> Value {
        get { core.withLock { $0[keyPath: path] } }
        set { core.withLock { $0[keyPath: path] = newValue } }
    }

    // MARK: Assignments

    func assign(_ run: String, to worker: Int64, stopping cause: String?) {
        core.withLock { core in
            core.places += 1
            let known = core.assignments.first { $0.run == run }
            core.assignments.removeAll { $0.run == run }
            core.assignments.append(
                RunAssignment(
                    run: run, worker: known?.worker ?? worker, cause: known?.cause ?? cause, place: core.places))
        }
        ring()
    }

    func release(_ runs: [String]) { core.withLock { $0.assignments.removeAll { runs.contains($0.run) } } }

    /// Whether a process may append to these runs.
    func carriesOut(_ worker: Int64, _ streams: [StreamID]) -> Bool {
        let own = Set(self.assignments.filter { $0.worker == worker }.map { StreamID.run($0.run) })
        return own.isSuperset(of: streams)
    }

    func ring() { bell.update { $0 + 1 } }

    func takeOver(_ node: String) async {
        await commands.takeOver(node)
        core.withLock { core in
            core.nodes[core.recording] = nil
            core.recording = node
        }
    }

    func noteTry(_ id: String) { core.withLock { $0.tries[id, default: 0] += 1 } }

    /// Whether a server has said nothing since.
    func isSilent(_ node: JournalNode) -> Bool { core.withLock { $0.nodes[node.id]?.beat == node.beat } }

    func beat(_ id: String, _ standing: NodeStanding) -> [JournalNode] {
        core.withLock { core in
            let beat = (core.nodes[id]?.beat ?? 0) + 1
            core.nodes[id] = JournalNode(
                id: id, name: "server \(id)", beat: beat, isRecording: core.recording == id, standing: standing)
            return core.nodes.values.sorted { $0.id < $1.id }
        }
    }
}

/// The journal of a cluster as one of its servers has it.
final class SharedJournalDouble: SharedJournal, JournalProxy {
    let cluster: ClusterDouble
    let node: String
    let worker: Int64?
    private let exchange: any CommandExchange
    private let heard = Locked(0)

    /// Whether it is as if this process had stopped.
    let isDead = Locked(false)
    /// Whether the database only reads.
    let isReadOnly = Locked(false)
    /// What the confirmation of each append waits for after its changes are recorded.
    let confirmation = Locked<Gate?>(nil)
    /// Whether no output can be recorded from here.
    let keepsNoOutput = Locked(false)

    init(_ cluster: ClusterDouble, node: String) {
        self.cluster = cluster
        self.node = node
        worker = Int64(node.utf8.first ?? 0)
        exchange = cluster.commands.server(node)
    }

    var inner: any Journal { cluster.journal }

    // MARK: Sharing

    var isRecording: Bool { cluster.recording == node }
    func beat(_ standing: NodeStanding, forgetting: [String]) async throws -> [JournalNode] {
        cluster.noteTry(node)
        if isDead.withLock({ $0 }) { throw JournalError(.unavailable, "The database cannot be reached.") }
        if isReadOnly.withLock({ $0 }) { throw JournalError(.readOnly, "The database only reads.") }
        return cluster.beat(node, standing)
    }
    func assign(_ run: String, to worker: Int64, stopping cause: String?) async throws {
        cluster.assign(run, to: worker, stopping: cause)
    }
    func assignments(of worker: Int64?, after place: Int64) async throws -> [RunAssignment] {
        cluster.assignments.filter { (worker == nil || $0.worker == worker) && $0.place > place }
    }
    func release(_ runs: [String]) async throws { cluster.release(runs) }
    func giveBack(_ runs: [String]) async throws {
        cluster.release(runs.filter { run in cluster.assignments.contains { $0.run == run && $0.worker == worker } })
    }
    func nextNotice() async throws {
        let last = heard.withLock { $0 }
        guard let rung = await cluster.bell.first(where: { $0 > last }) else { throw CancellationError() }
        heard.withLock { $0 = rung }
    }
    func takeOver(from silent: JournalNode?) async throws -> Bool {
        guard let silent, cluster.recording == silent.id, cluster.isSilent(silent) else { return false }
        await cluster.takeOver(node)
        return true
    }
    func rereadNotices() async throws {}
    func outputCounts(of runs: [String]) async throws -> [String: SequenceNumber] {
        var counts: [String: SequenceNumber] = [:]
        for run in runs { counts[run] = try await inner.outputCount(of: run) }
        return counts
    }

    func hand(_ command: HandedCommand) async throws {
        if let error = cluster.handError, error.code != .unavailable { throw error }
        try await exchange.hand(command)
        cluster.ring()
        if let error = cluster.handError { throw error }
    }
    func replies(to ids: [String]) async throws -> [String: CommandReply] { try await exchange.replies(to: ids) }
    func withdraw(_ id: String) async throws -> CommandWithdrawal {
        if let error = cluster.withdrawError { throw error }
        return try await exchange.withdraw(id)
    }
    func removeCommands(_ ids: [String]) async throws { try await exchange.removeCommands(ids) }
    func claimCommands(of nodes: [String], limit: Int) async throws -> [HandedCommand] {
        try await exchange.claimCommands(of: nodes, limit: limit)
    }
    func answerCommand(_ id: String, with text: String) async throws {
        if let error = cluster.answerError { throw error }
        try await exchange.answerCommand(id, with: text)
        cluster.ring()
    }

    // MARK: The journal

    var notices: [JournalNotice] { cluster.notices }
    func dismissNotice(_ id: String) async throws -> Bool {
        let count = cluster.notices.count
        cluster.notices.removeAll { $0.id == id }
        return cluster.notices.count < count
    }
    func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        if isDead.withLock({ $0 }) { throw JournalError(.unavailable, "The database cannot be reached.") }
        guard isRecording || cluster.carriesOut(worker ?? 0, drafts.map(\.stream)) else {
            throw JournalError(.locked, "Another server records.")
        }
        defer { cluster.ring() }
        let changes = try await inner.append(drafts)
        if let confirmation = confirmation.withLock({ $0 }) {
            cluster.ring()
            try await confirmation.pass()
        }
        return changes
    }
    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) async throws
        -> [Change]
    {
        if let error = cluster.readError { throw error }
        return try await inner.changes(of: topic, after: after, through: last, limit: limit)
    }
    func appendOutput(run: String, lines: [OutputDraft], after: SequenceNumber?) async throws -> SequenceNumber {
        if keepsNoOutput.withLock({ $0 }) { throw JournalError(.unavailable, "The disk is full.") }
        guard isRecording || cluster.carriesOut(worker ?? 0, [.run(run)]) else {
            throw JournalError(.locked, "Another server records.")
        }
        defer { cluster.ring() }
        return try await inner.appendOutput(run: run, lines: lines, after: after)
    }
    func close() async {}
}
