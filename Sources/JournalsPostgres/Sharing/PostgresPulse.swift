import Journals
import States
import Synchronization

/// What the servers on one database tell each other, on a connection of its own: that they are there, and that something
/// was recorded.
///
/// The server that records sends a notice after its commits, at most every 10 ms, if there are others. A server that follows
/// listens; it also looks every second, in case a notice is lost.
final class PostgresPulse: Sendable {
    private struct Bell {
        var isRung = false
        var isRinging = false
        var hasListeners = false
    }

    /// What is only used on the worker's thread, but for its being set.
    private struct Ear {
        var isListening: Bool
        /// Set for each new connection: what was recorded before it listened may not have been noticed.
        var isNew = true
    }

    let node: PostgresNode
    private let worker: PostgresWorker
    private let ear: Locking<Ear>
    private let bell = Mutex(Bell())

    /// Shared with the closure that sets up each new connection.
    private final class Locking<Value: Sendable>: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }

    /// How long a wait for a notice keeps the connection from other calls.
    private static let turn: Duration = .milliseconds(200)
    /// How many such waits make a second.
    private static let turns = 5

    init(_ address: PostgresAddress, node: PostgresNode, timeout: Duration, isListening: Bool) {
        self.node = node
        let ear = Locking(Ear(isListening: isListening))
        self.ear = ear
        worker = PostgresWorker(address, name: "pulse", timeout: timeout) { connection in
            // What is lost with the database's last moments is said again within a second.
            try connection.execute("SET synchronous_commit = off")
            let listens = ear.value.withLock { ear in
                ear.isNew = true
                return ear.isListening
            }
            if listens { try connection.execute("LISTEN weir_changes") }
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

    /// Returns as soon as another server has recorded something, at once on a new connection, and after a second.
    func nextNotice() async throws {
        for _ in 0..<Self.turns {
            let isNoticed = try await worker.run { [ear] connection in
                if ear.value.withLock({ ear in
                    defer { ear.isNew = false }
                    return ear.isNew
                }) {
                    return true
                }
                return try connection.hasNotice(within: Self.turn)
            }
            if isNoticed { return }
            try Task.checkCancellation()
        }
    }

    /// Listens no more: this server records from now on.
    func stopListening() async throws {
        ear.value.withLock { $0.isListening = false }
        try await worker.run { try $0.execute("UNLISTEN weir_changes") }
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
                try await worker.run { try $0.execute("NOTIFY weir_changes") }
                try await Task.sleep(for: .milliseconds(10))
            } catch {
                continue  // Those who follow look every second.
            }
        }
    }

    /// Says that this server leaves, so that another can take its place at once.
    func close() async {
        do {
            try await worker.run { [node] connection in
                try connection.rows("DELETE FROM weir.nodes WHERE id = $1", [node.id]) { _ in }
            }
        } catch {
            _ = error  // The others find it silent.
        }
        await worker.close()
    }
}
