import Synchronization
import WeirJournals
import WeirStates

/// The communication between the servers on one database, on a separate connection: heartbeats, notifications and
/// commands.
///
/// The recording server sends a notification after its commits, at most every 10 ms, if there are others, and listens
/// for commands. A following server listens for changes and answers. Each also polls every second, in case a
/// notification is lost.
final class PostgresPulse: Sendable {
    enum Channel: String {
        /// Changes and answers, sent by the recording server.
        case changes = "weir_changes"
        /// Commands, sent by following servers.
        case commands = "weir_commands"
    }

    private struct Bell {
        var isRung = false
        var isRinging = false
        var hasListeners = false
    }

    /// State that is accessed only on the worker's thread, except for its initialization.
    private struct Ear {
        var channel: Channel
        /// Set for each new connection, because earlier notifications may be lost.
        var isNew = true
    }

    let node: PostgresNode
    let worker: PostgresWorker
    private let interruption = Interruption()
    private let ear: Locking<Ear>
    private let bell = Mutex(Bell())

    /// Shared with the closure that sets up each new connection.
    private final class Locking<Value: Sendable>: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }

    init(_ address: PostgresAddress, node: PostgresNode, timeout: AnswerTimeout, isRecording: Bool) {
        self.node = node
        let ear = Locking(Ear(channel: isRecording ? .commands : .changes))
        self.ear = ear
        worker = PostgresWorker(address, name: "pulse", timeout: timeout, interruption: interruption) { connection in
            // A heartbeat that a crash of the database loses is repeated within a second.
            try connection.execute("SET synchronous_commit = off")
            let channel = ear.value.withLock { ear in
                ear.isNew = true
                return ear.channel
            }
            try connection.execute("LISTEN \(channel.rawValue)")
        }
    }

    /// Publishes a heartbeat; returns all servers.
    func beat(_ standing: NodeStanding, forgetting silent: [String]) async throws -> [JournalNode] {
        let nodes = try await worker.run { [node] connection in
            try connection.rows(
                """
                INSERT INTO weir.nodes (id, name, standing) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE
                SET beat = nodes.beat + 1, name = excluded.name, standing = excluded.standing
                """, [node.id, node.name, try JSONValue(encoding: standing).text()]
            ) { _ in }
            for id in silent { try connection.rows("DELETE FROM weir.nodes WHERE id = $1", [id]) { _ in } }
            return try connection.all("SELECT id, name, beat, records, standing FROM weir.nodes ORDER BY name, id") {
                JournalNode(
                    id: $0.text(0), name: $0.text(1), beat: $0.integer(2), isRecording: $0.isTrue(3),
                    standing: try JSONValue(parsing: $0.text(4)).decode(NodeStanding.self))
            }
        }
        bell.withLock { $0.hasListeners = nodes.contains { $0.id != node.id } }
        return nodes
    }

    /// Returns on a notification from another server, immediately on a new connection, and after a second at the
    /// latest.
    ///
    /// It does not delay other calls on the connection.
    func nextNotice() async throws {
        let end = ContinuousClock.now + .seconds(1)
        while case let left = ContinuousClock.now.duration(to: end), left > .zero {
            let isNoticed = try await worker.wait { [ear, interruption] connection in
                if ear.value.withLock({ ear in
                    defer { ear.isNew = false }
                    return ear.isNew
                }) {
                    return true
                }
                return try connection.hasNotice(within: left, until: interruption)
            }
            if isNoticed { return }
            try Task.checkCancellation()
        }
    }

    /// Listens for commands from now on, as the recording server.
    func listenForCommands() async throws {
        ear.value.withLock { $0.channel = .commands }
        try await worker.run {
            try $0.execute("UNLISTEN \(Channel.changes.rawValue); LISTEN \(Channel.commands.rawValue)")
        }
    }

    /// Notifies other servers of a recorded change, without waiting.
    func ring() {
        let begins = bell.withLock { bell -> Bool in
            guard bell.hasListeners else { return false }
            bell.isRung = true
            defer { bell.isRinging = true }
            return !bell.isRinging
        }
        if begins { Task { await self.notify() } }
    }

    private func notify() async {
        while bell.withLock({ bell -> Bool in
            defer { bell.isRung = false }
            if !bell.isRung { bell.isRinging = false }
            return bell.isRung
        }) {
            do {
                // A following server that appends also notifies the recording one.
                let isFollowing = ear.value.withLock { $0.channel == .changes }
                let channels = isFollowing ? [Channel.changes, .commands] : [.changes]
                try await worker.run { connection in
                    for channel in channels { try connection.execute("NOTIFY \(channel.rawValue)") }
                }
                try await Task.sleep(for: .milliseconds(10))
            } catch {
                continue  // Following servers poll every second.
            }
        }
    }

    /// Removes this server from the list, so that another one can take over at once.
    func close() async {
        await worker.close { [node] connection in
            try connection.rows("DELETE FROM weir.nodes WHERE id = $1", [node.id]) { _ in }
            try connection.rows("DELETE FROM weir.commands WHERE node = $1", [node.id]) { _ in }
        }
    }
}

/// The identity of a server among those that use the database.
package struct PostgresNode: Sendable, Hashable {
    /// Unique, and stable across restarts.
    let id: String
    let name: String
    /// Identifies this process, to which runs are assigned; different after a restart.
    let worker = Int64.random(in: 1...9_007_199_254_740_991)

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
