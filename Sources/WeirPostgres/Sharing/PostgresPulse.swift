import Synchronization
import WeirJournals
import WeirStates

/// What the servers on one database tell each other, on a connection of its own: that they are there, that something
/// was recorded, and what one asks of another.
///
/// The server that records sends a notice after its commits, at most every 10 ms, if there are others, and listens for
/// commands. A server that follows listens for changes and answers. Each also looks every second, in case a notice is lost.
final class PostgresPulse: Sendable {
    /// What a server listens for.
    enum Channel: String {
        /// Changes and answers, which the server that records sends.
        case changes = "weir_changes"
        /// Commands, which those that follow send.
        case commands = "weir_commands"
    }

    private struct Bell {
        var isRung = false
        var isRinging = false
        var hasListeners = false
    }

    /// What is only used on the worker's thread, but for its being set.
    private struct Ear {
        var channel: Channel
        /// Set for each new connection: what was recorded before it listened may not have been noticed.
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
            // What is lost with the database's last moments is said again within a second.
            try connection.execute("SET synchronous_commit = off")
            let channel = ear.value.withLock { ear in
                ear.isNew = true
                return ear.channel
            }
            try connection.execute("LISTEN \(channel.rawValue)")
        }
    }

    /// Says that this server is there; returns all that have said so.
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

    /// Returns as soon as another server has something for this one, at once on a new connection, and after a second.
    ///
    /// Other calls on the connection do not wait for that.
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

    /// Listens for commands from now on: this server records.
    func listenForCommands() async throws {
        ear.value.withLock { $0.channel = .commands }
        try await worker.run {
            try $0.execute("UNLISTEN \(Channel.changes.rawValue); LISTEN \(Channel.commands.rawValue)")
        }
    }

    /// Says that something was recorded; returns at once.
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
                // A server that follows and appends tells the one that records, too.
                let isFollowing = ear.value.withLock { $0.channel == .changes }
                let channels = isFollowing ? [Channel.changes, .commands] : [.changes]
                try await worker.run { connection in
                    for channel in channels { try connection.execute("NOTIFY \(channel.rawValue)") }
                }
                try await Task.sleep(for: .milliseconds(10))
            } catch {
                continue  // Those who follow look every second.
            }
        }
    }

    /// Says that this server leaves, so that another can take its place at once.
    func close() async {
        await worker.close { [node] connection in
            try connection.rows("DELETE FROM weir.nodes WHERE id = $1", [node.id]) { _ in }
            try connection.rows("DELETE FROM weir.commands WHERE node = $1", [node.id]) { _ in }
        }
    }
}
