import Logging
import WeirFlows
package import WeirJournals

/// This server's membership in the group of servers that share a journal.
///
/// Sends a heartbeat every second, follows the recording server, and takes over when that server is gone.
final class Membership: Sendable {
    /// The board's callbacks for membership events.
    struct Actions: Sendable {
        /// The status that this server reports in its heartbeat.
        let standing: @Sendable () -> NodeStanding
        /// Publishes changes that other servers have recorded.
        let catchUp: @Sendable () async throws -> Void
        /// Collects replies to the commands that this server sent.
        let takeAnswers: @Sendable () async throws -> Void
        /// Carries out commands from the servers with these ids, if this server records.
        let carryOut: @Sendable ([String]) async throws -> Void
        /// Starts the runs that are assigned to this server, and stops those that are marked to stop.
        let takeRuns: @Sendable () async throws -> Void
        /// Abandons the runs that are no longer assigned to this server.
        let tidyRuns: @Sendable () async throws -> Void
        /// If this server records, ends the runs of servers that are gone; the argument returns the live worker
        /// numbers.
        let tendRuns: @Sendable (@Sendable () -> Set<Int64>) async throws -> Void
        /// Reloads what changes rarely; called once a second while another server records.
        let look: @Sendable () async throws -> Void
        /// Whether this server can become the recording one, which it cannot once it shuts down.
        let mayTakeOver: @Sendable () -> Bool
        /// Starts the tasks of the recording server.
        let begin: @Sendable () async throws -> Void
        /// Keeps operations running that are watched on other servers.
        let watch: @Sendable (Set<String>) -> Void
        /// Reports that the journal does not respond, with the error, or responds again, with nil.
        let note: @Sendable ((any Error)?) -> Void
    }

    private struct Core {
        var book = NodeBook()
        var hasBegun = false
        var ownBeats = OwnBeats()
        /// Whether the last heartbeat failed, although the journal may be readable.
        var hasMissedBeat = false
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

    var nodes: [NodeView] {
        core.withLock { core in
            core.book.entries.map {
                NodeView(node: $0.node, isThis: $0.node.id == journal.node, isSilent: $0.silence >= NodeBook.lease)
            }
        }
    }

    /// The ids of the servers that are present, whose commands are accepted.
    var present: [String] { core.withLock { $0.book.present } }

    /// The number under which another server accepts runs, or nil if it accepts none, is not present, or is this
    /// server.
    func worker(of node: String) -> Int64? {
        guard node != journal.node else { return nil }
        return core.withLock { core in
            guard core.book.present.contains(node) else { return nil }
            return core.book.entries.first { $0.node.id == node }?.node.standing.worker
        }
    }

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

    private func heed(_ actions: Actions) async throws {
        if journal.isRecording {
            let present = self.present
            // Includes its own commands, which it sent before it took over.
            try await actions.carryOut(present.contains(journal.node) ? present : present + [journal.node])
            if present.count > 1 { try await actions.catchUp() }
        } else {
            try await actions.catchUp()
        }
        try await actions.takeAnswers()
        try await actions.takeRuns()
        // Only then, because the journal may be readable and not writable.
        if !journal.isRecording, !core.withLock({ $0.hasMissedBeat }) { actions.note(nil) }
    }

    func stop() { scope.cancel() }

    private func beat(_ actions: Actions) async {
        guard role.value != .replaced else { return }
        do {
            let forgotten = core.withLock { journal.isRecording ? $0.book.forgotten : [] }
            let nodes = try await journal.beat(actions.standing(), forgetting: forgotten)
            let (book, isCopied) = core.withLock { core in
                core.book.take(nodes)
                return (core.book, core.ownBeats.take(nodes.first { $0.id == journal.node }?.beat))
            }
            if isCopied {
                logger.error(
                    """
                    Another server has the id of this one, as after a copy of its data folder. Stop one of them, remove the file \
                    node from its data folder, and start it again.
                    """)
            }
            try await actions.tidyRuns()
            if journal.isRecording {
                try await record(book, actions)
            } else {
                try await actions.look()
                try await takeOver(book, actions)
            }
            core.withLock { $0.hasMissedBeat = false }
        } catch {
            core.withLock { core in
                core.book.wasCutOff()
                core.hasMissedBeat = true
            }
            guard !Task.isCancelled else { return }
            if (error as? JournalError)?.code == .corrupt { return leave("\(error)") }
            // On the recording server, the next recorded change or journal poll reports that recording works again.
            actions.note(error)
        }
    }

    private func record(_ book: NodeBook, _ actions: Actions) async throws {
        if let other = book.recording, other.node.id != journal.node {
            return leave("“\(other.node.name)” has taken the place of this server.")
        }
        // It took over earlier, but could not begin.
        if !core.withLock({ $0.hasBegun }) { try await begin(actions) }
        actions.watch(book.watched(besides: journal.node))
        try await actions.tendRuns { [self] in
            core.withLock { $0.book.workers }.union(journal.worker.map { [$0] } ?? [])
        }
    }

    private func takeOver(_ book: NodeBook, _ actions: Actions) async throws {
        guard actions.mayTakeOver() else { return }
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

/// Detects heartbeats of another server under the id of this one.
struct OwnBeats {
    private var last: Int64?
    private var count = 0

    /// Takes the number of heartbeats under the id; returns true at the third heartbeat in a row that was not the only one.
    mutating func take(_ beat: Int64?) -> Bool {
        // A repeated call after a lost answer counts twice, but not three times in a row.
        let isShared = if let beat, let last { beat.subtractingReportingOverflow(last).partialValue > 1 } else { false }
        (last, count) = (beat, isShared ? count + 1 : 0)
        return count == 3
    }
}

/// The servers of a journal and how long each has been silent, measured in this server's heartbeats.
///
/// Pure. No clocks are compared: a server's silence is the number of heartbeats of this server, while connected, that
/// have seen no new heartbeat of the other.
struct NodeBook: Sendable {
    /// The silence after which a recording server is replaced, in heartbeats.
    static let lease = 5
    /// The maximum silence of a server that counts as present, in heartbeats.
    static let pause = 2
    /// The silence after which a server is removed from the list, in heartbeats.
    static let memory = 60

    struct Entry: Sendable, Hashable {
        let node: JournalNode
        /// The number of heartbeats without news of the server.
        let silence: Int
        /// Whether the server has sent a heartbeat since it was first listed.
        var isHeard = false
    }

    private(set) var entries: [Entry] = []

    mutating func take(_ nodes: [JournalNode]) {
        let known = Dictionary(entries.map { ($0.node.id, $0) }) { $1 }
        entries = nodes.map { node in
            guard let before = known[node.id] else { return Entry(node: node, silence: 0) }
            guard before.node.beat == node.beat else { return Entry(node: node, silence: 0, isHeard: true) }
            return Entry(node: node, silence: min(before.silence + 1, Self.memory), isHeard: before.isHeard)
        }
    }

    /// Resets all silences after this server lost its connection, since it could not hear the others.
    mutating func wasCutOff() { entries = entries.map { Entry(node: $0.node, silence: 0, isHeard: $0.isHeard) } }

    var recording: Entry? { entries.first { $0.node.isRecording } }

    var forgotten: [String] { entries.filter { $0.silence >= Self.memory }.map(\.node.id) }

    /// The ids of the servers that are present: heard from, and at most briefly silent.
    ///
    /// Only their commands are carried out: a live server withdraws its own command when it times out, and a server
    /// that is gone cannot.
    var present: [String] { entries.filter { $0.isHeard && $0.silence <= Self.pause }.map(\.node.id) }

    var workers: Set<Int64> { Set(entries.filter { $0.silence < Self.lease }.compactMap(\.node.standing.worker)) }

    func watched(besides id: String) -> Set<String> {
        Set(entries.filter { $0.node.id != id && $0.silence < Self.lease }.flatMap(\.node.standing.watched))
    }
}

extension [NodeView] {
    /// The name of this server, or nil if it is the only one.
    package var thisServer: String? { count > 1 ? first(where: \.isThis)?.node.name : nil }
}

/// A server of a shared journal, as the system page shows it.
package struct NodeView: Sendable, Hashable {
    package let node: JournalNode
    package let isThis: Bool
    /// Whether the server has been silent long enough for another to take over.
    package let isSilent: Bool

    package init(node: JournalNode, isThis: Bool, isSilent: Bool) {
        self.node = node
        self.isThis = isThis
        self.isSilent = isSilent
    }
}
