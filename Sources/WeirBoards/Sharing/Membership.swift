import Logging
import WeirFlows
import WeirJournals

/// A board's part among the servers that share its journal: says every second that it is there, follows the one that
/// records, and takes its place when that is gone.
final class Membership: Sendable {
    /// What a board does as one of several.
    struct Actions: Sendable {
        /// How this server does.
        let standing: @Sendable () -> NodeStanding
        /// Publishes what others have recorded.
        let catchUp: @Sendable () async throws -> Void
        /// Takes the answers to what this server asked of the one that records.
        let takeAnswers: @Sendable () async throws -> Void
        /// Carries out what these servers ask, where this one records.
        let carryOut: @Sendable ([String]) async throws -> Void
        /// Begins the runs that are assigned to this server, and stops those that are to stop.
        let takeRuns: @Sendable () async throws -> Void
        /// Gives up the runs that this server carried out and that are no longer its own.
        let tidyRuns: @Sendable () async throws -> Void
        /// Ends the runs of servers that are gone, where this one records; asks which processes are there.
        let tendRuns: @Sendable (@Sendable () -> Set<Int64>) async throws -> Void
        /// Looks at what changes seldom, once a second while another server records.
        let look: @Sendable () async throws -> Void
        /// Begins what only the server does that records.
        let begin: @Sendable () async throws -> Void
        /// Keeps these operations going, which are watched at other servers.
        let watch: @Sendable (Set<String>) -> Void
        /// The journal does not answer, or does again.
        let note: @Sendable ((any Error)?) -> Void
    }

    private struct Core {
        var book = NodeBook()
        var hasBegun = false
    }

    let role: MutableStateFlow<BoardRole>
    private let journal: any SharedJournal
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let core = Locked(Core())
    private let scope = FlowScope(executor: nil)

    init(_ journal: any SharedJournal, role: MutableStateFlow<BoardRole>, clock: any Clock<Duration>, logger: Logger) {
        self.journal = journal
        self.role = role
        self.clock = clock
        self.logger = logger
    }

    /// All servers of the journal, by their names.
    var nodes: [NodeView] {
        core.withLock { core in
            core.book.entries.map {
                NodeView(node: $0.node, isThis: $0.node.id == journal.node, isSilent: $0.silence >= NodeBook.lease)
            }
        }
    }

    /// The ids of the servers that are there, whose commands are carried out.
    var present: [String] { core.withLock { $0.book.present } }

    /// The number by which another server can be assigned runs; nil where it takes none, is not there, or is this one.
    func worker(of node: String) -> Int64? {
        guard node != journal.node else { return nil }
        return core.withLock { core in
            guard core.book.present.contains(node) else { return nil }
            return core.book.entries.first { $0.node.id == node }?.node.standing.worker
        }
    }

    /// Begins to take part.
    func begin(_ actions: Actions) {
        core.withLock { $0.hasBegun = journal.isRecording }
        scope.launch { [self] in
            while !Task.isCancelled {
                await beat(actions)
                try await clock.sleep(for: .seconds(1))
            }
        }
        scope.launch { [self] in
            while !Task.isCancelled, role.value != .replaced {
                do {
                    try await journal.nextNotice()
                    try await heed(actions)
                } catch {
                    if !journal.isRecording { actions.note(error) }
                    try await clock.sleep(for: .seconds(1))
                }
            }
        }
    }

    /// Does what a notice asks for.
    private func heed(_ actions: Actions) async throws {
        if journal.isRecording {
            let present = self.present
            // Its own, too: those that it asked before it took the place of another.
            try await actions.carryOut(present.contains(journal.node) ? present : present + [journal.node])
            if present.count > 1 { try await actions.catchUp() }
        } else {
            try await actions.catchUp()
            actions.note(nil)
        }
        try await actions.takeAnswers()
        try await actions.takeRuns()
    }

    /// Takes part no more.
    func stop() { scope.cancel() }

    private func beat(_ actions: Actions) async {
        guard role.value != .replaced else { return }
        do {
            let forgotten = core.withLock { journal.isRecording ? $0.book.forgotten : [] }
            let nodes = try await journal.beat(actions.standing(), forgetting: forgotten)
            let book = core.withLock { core in
                core.book.take(nodes)
                return core.book
            }
            try await actions.tidyRuns()
            if journal.isRecording {
                try await record(book, actions)
            } else {
                try await actions.look()
                try await takeOver(book, actions)
            }
        } catch {
            core.withLock { $0.book.wasCutOff() }
            guard !Task.isCancelled else { return }
            if (error as? JournalError)?.code == .corrupt { return leave("\(error)") }
            // Where this server records, the next change that is recorded, or the next look at the journal, says that it does again.
            actions.note(error)
        }
    }

    private func record(_ book: NodeBook, _ actions: Actions) async throws {
        if let other = book.recording, other.node.id != journal.node {
            return leave("“\(other.node.name)” has taken the place of this server.")
        }
        // It had taken the place, and could not begin.
        if !core.withLock({ $0.hasBegun }) { try await begin(actions) }
        actions.watch(book.watched(besides: journal.node))
        try await actions.tendRuns { [self] in
            core.withLock { $0.book.workers }.union(journal.worker.map { [$0] } ?? [])
        }
    }

    private func takeOver(_ book: NodeBook, _ actions: Actions) async throws {
        let other = book.recording
        if let other, other.node.id != journal.node, other.silence < NodeBook.lease { return }
        guard try await journal.takeOver(from: other?.node) else { return }
        logger.notice(
            "This server records from now on.", metadata: ["before": "\(other?.node.name ?? "a server that left")"])
        try await begin(actions)
    }

    private func begin(_ actions: Actions) async throws {
        try await actions.begin()
        core.withLock { $0.hasBegun = true }
    }

    private func leave(_ words: String) {
        logger.error("This server records and shows nothing any more: start it again. \(words)")
        role.value = .replaced
    }
}
