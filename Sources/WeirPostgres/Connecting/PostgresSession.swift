import Synchronization
import WeirJournals
import WeirStates

/// The sessions of an open journal, which new connections of the writer resume.
final class EnteredSession: Sendable {
    private let current = Mutex<PostgresSession?>(nil)
    private let following = Mutex<PostgresSession?>(nil)

    var session: PostgresSession? { current.withLock { $0 } }

    /// The session in which it appends: as the recording server, or to its assigned runs.
    var appending: PostgresSession? { session ?? following.withLock { $0 } }

    /// Starts to follow another server in this history, with the number of this process.
    func follow(_ epoch: String, worker: Int64, now: @escaping @Sendable () -> Timestamp) {
        let session = PostgresSession(node: JournalEpoch.make(), epoch: epoch, fence: -worker, now: now)
        following.withLock { $0 = session }
    }

    /// Starts to record, with a newly raised fence.
    func begin(_ entered: PostgresEntry.Entered, now: @escaping @Sendable () -> Timestamp) {
        let session = PostgresSession(
            node: JournalEpoch.make(), epoch: entered.epoch, fence: entered.fence, now: now)
        current.withLock { $0 = session }
    }
}

/// The history, and the identity of the server that appends to it; each new connection of the writer is checked
/// against it.
final class PostgresSession: Sendable {
    /// The state after the latest recorded call, to detect a database that has lost changes.
    private struct Last: Sendable {
        var batch: Int64 = 0
        var base = SequenceNumber.zero
        var head = SequenceNumber.zero
        /// The reason why nothing may be recorded any more, or nil.
        var refusal: JournalError?
    }

    /// The server's name in `batches`.
    let node: String
    let epoch: String
    /// The fence of the recording server; negative, the number of a following one.
    let fence: Int64
    private let now: @Sendable () -> Timestamp
    private let last = Mutex(Last())
    private let counter = Atomic<Int64>(0)

    init(node: String, epoch: String, fence: Int64, now: @escaping @Sendable () -> Timestamp) {
        self.node = node
        self.epoch = epoch
        self.fence = fence
        self.now = now
    }

    func nextBatch() -> Int64 { counter.add(1, ordering: .relaxed).newValue }

    func recorded(batch: Int64, base: SequenceNumber, count: Int) {
        last.withLock { last in
            last.batch = batch
            last.base = base
            last.head = max(last.head, base.advanced(by: count))
        }
    }

    /// Notes the head after a call that appends no change.
    func advanced(to head: SequenceNumber) { last.withLock { $0.head = max($0.head, head) } }

    /// Throws if nothing may be recorded any more.
    func check() throws {
        if let refusal = last.withLock({ $0.refusal }) { throw refusal }
    }

    var follows: Bool { fence < 0 }

    /// Acquires the recording server's lock on a new connection, and checks that the database contains all recorded
    /// data.
    func resume(_ connection: PostgresConnection) throws {
        if follows { return try check(connection, isAlone: false) }
        let isAlone = try connection.first("SELECT pg_try_advisory_lock(\(PostgresSchema.server))") { $0.isTrue(0) }
        try check(connection, isAlone: isAlone == true)
    }

    /// Checks that the database contains all recorded data, and that no other server has taken over.
    ///
    /// If changes are lost, the history is ended: the next server that opens the database begins a new one.
    func check(_ connection: PostgresConnection, isAlone: Bool = true) throws {
        try check()
        let last = last.withLock { $0 }
        let held = try connection.first(
            """
            SELECT j.epoch, j.fence, j.head,
                (SELECT b.first FROM weir.batches b WHERE b.node = $1 AND b.number = $2) FROM weir.journal j
            """, [node, last.batch]
        ) { row in
            (
                epoch: row.text(0), fence: row.integer(1), head: try row.sequence(2),
                base: try row.isNull(3) ? nil : row.sequence(3)
            )
        }
        guard let held else { throw refuse(.lostHistory) }
        if held.epoch == epoch, follows || held.fence == fence, held.head >= last.head,
            last.batch == 0 || held.base == last.base
        {
            // A lock that is still held belongs to this server's lost connection: the fence is unchanged.
            return
        }
        if !follows, held.epoch == epoch, held.fence > fence, held.head >= last.head { throw refuse(.fenced) }
        // The newest changes are lost, and their sequences could be assigned again, so a new history must begin.
        if !follows, held.epoch == epoch, held.fence <= fence, try isAlone || comesAlone(connection) {
            try renew(connection, after: held.head, through: last.head)
        }
        throw refuse(.lostHistory)
    }

    /// Waits for the recording server's lock, which a lost connection holds until the database notices.
    private func comesAlone(_ connection: PostgresConnection) throws -> Bool {
        do {
            try connection.execute("SELECT pg_advisory_lock(\(PostgresSchema.server))")
            return true
        } catch {
            guard error.state == PostgresState.lockTimeout else { throw error }
            return false
        }
    }

    private func renew(
        _ connection: PostgresConnection, after held: SequenceNumber, through head: SequenceNumber
    ) throws {
        let notice = JournalNotice(.lost, at: now(), lost: held < head ? held.next...head : nil)
        try connection.transaction {
            try connection.execute("SELECT pg_advisory_xact_lock(\(PostgresSchema.lock))")
            try connection.rows(
                "UPDATE weir.journal SET epoch = $1, created = $2, head = greatest(head, $3), fence = $4",
                [JournalEpoch.make(), now().milliseconds, head, fence + 1]
            ) { _ in }
            // No change has the sequences that are passed over.
            try connection.rows(
                """
                INSERT INTO weir.floors AS f (operation, sequence) VALUES (-1, $1) ON CONFLICT (operation)
                    DO UPDATE SET sequence = greatest(f.sequence, excluded.sequence)
                """, [head.rawValue]
            ) { _ in }
            try connection.rows(
                "INSERT INTO weir.notices (id, notice) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [notice.id, try notice.json.text()]
            ) { _ in }
        }
    }

    private func refuse(_ error: JournalError) -> JournalError {
        last.withLock { $0.refusal = error }
        return error
    }
}

extension JournalError {
    fileprivate static var lostHistory: JournalError {
        JournalError(
            .corrupt,
            "The database has lost changes that were recorded, as after a failover to a replica that was behind. Restart "
                + "the server: it continues with what is left, as a new history.")
    }
}

/// Makes a server the recording one: takes the server lock and raises the fence.
struct PostgresEntry: Sendable {
    struct Entered: Sendable {
        let epoch: String
        let fence: Int64
    }

    /// The server; nil for a single one that does not follow others.
    let node: PostgresNode?

    /// Tries once; returns nil if another server records.
    ///
    /// `silent` is a server to replace, unless it has been heard from since. Its connections are terminated, and its
    /// lock is released with them, which can take a moment; then the next try succeeds.
    func enter(_ connection: PostgresConnection, replacing silent: JournalNode? = nil) throws -> Entered? {
        try connection.transaction {
            try connection.execute("SELECT pg_advisory_xact_lock(\(PostgresSchema.lock))")
            if let node, let other = try other(node, connection) {
                guard let silent, other.id == silent.id, other.beat == silent.beat else { return nil }
                try connection.execute(Self.endHolder)
            }
            let isAlone = try connection.first("SELECT pg_try_advisory_lock(\(PostgresSchema.server))") { $0.isTrue(0) }
            guard isAlone == true else { return nil }
            let entered = try connection.first("UPDATE weir.journal SET fence = fence + 1 RETURNING epoch, fence") {
                Entered(epoch: $0.text(0), fence: $0.integer(1))
            }
            if let silent { try connection.rows("DELETE FROM weir.nodes WHERE id = $1", [silent.id]) { _ in } }
            try connection.execute("UPDATE weir.nodes SET records = false WHERE records")
            if let node {
                try connection.rows(
                    """
                    INSERT INTO weir.nodes (id, name, records) VALUES ($1, $2, true)
                    ON CONFLICT (id) DO UPDATE SET records = true, beat = nodes.beat + 1
                    """, [node.id, node.name]
                ) { _ in }
            }
            return entered
        }
    }

    private func other(_ node: PostgresNode, _ connection: PostgresConnection) throws -> (id: String, beat: Int64)? {
        try connection.first("SELECT id, beat FROM weir.nodes WHERE records AND id <> $1", [node.id]) {
            ($0.text(0), $0.integer(1))
        }
    }

    /// Terminates the connection that holds the server lock: that of a stopped or unreachable server.
    private static let endHolder = """
        SELECT pg_terminate_backend(l.pid) FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.pid <> pg_backend_pid()
            AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            AND (l.classid::bigint << 32 | l.objid::bigint) = \(PostgresSchema.server)
        """
}
