import Synchronization
import WeirJournals
import WeirStates

/// The session of a journal, once it records; the writer's later connections resume it.
final class EnteredSession: Sendable {
    private let current = Mutex<PostgresSession?>(nil)
    private let following = Mutex<PostgresSession?>(nil)

    /// The session; nil before it records.
    var session: PostgresSession? { current.withLock { $0 } }

    /// The session in which it appends to the runs that are assigned to it, while it follows.
    var appending: PostgresSession? { session ?? following.withLock { $0 } }

    /// Follows another server, of this history, as a process with that number.
    func follow(_ epoch: String, worker: Int64, now: @escaping @Sendable () -> Timestamp) {
        let session = PostgresSession(node: JournalEpoch.make(), epoch: epoch, fence: -worker, now: now)
        following.withLock { $0 = session }
    }

    /// Records from now on, with a fence that was just raised.
    func begin(_ entered: PostgresEntry.Entered, now: @escaping @Sendable () -> Timestamp) {
        let session = PostgresSession(
            node: JournalEpoch.make(), epoch: entered.epoch, fence: entered.fence, now: now)
        current.withLock { $0 = session }
    }
}

/// Which history a journal records, and as which server; every new connection of the writer is checked against it.
final class PostgresSession: Sendable {
    /// What was recorded last, by which a database that has lost changes is recognised.
    private struct Last: Sendable {
        var batch: Int64 = 0
        var base = SequenceNumber.zero
        var head = SequenceNumber.zero
        /// Set once nothing may be recorded any more, and why.
        var refusal: JournalError?
    }

    /// The server's name in `batches`.
    let node: String
    let epoch: String
    /// The fence of the server that records; below zero, the number of one that follows.
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

    /// The number of the next call.
    func nextBatch() -> Int64 { counter.add(1, ordering: .relaxed).newValue }

    /// Notes that a call was recorded.
    func recorded(batch: Int64, base: SequenceNumber, count: Int) {
        last.withLock { last in
            last.batch = batch
            last.base = base
            last.head = max(last.head, base.advanced(by: count))
        }
    }

    /// Throws if nothing may be recorded any more.
    func check() throws {
        if let refusal = last.withLock({ $0.refusal }) { throw refusal }
    }

    /// Whether it is that of a server that follows another.
    var follows: Bool { fence < 0 }

    /// Takes the lock of the server that records on a new connection, and checks that the database holds everything that was
    /// recorded.
    func resume(_ connection: PostgresConnection) throws {
        if follows { return try check(connection, isAlone: false) }
        let isAlone = try connection.first("SELECT pg_try_advisory_lock(\(PostgresSchema.server))") { $0.isTrue(0) }
        try check(connection, isAlone: isAlone == true)
    }

    /// Checks that the database holds everything that was recorded, and that no other server has come.
    ///
    /// If changes are gone, the history is ended: whoever opens the database next begins a new one.
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
            // Where the lock is still held, it is by our own connection that broke: the fence says that nobody came.
            return
        }
        if !follows, held.epoch == epoch, held.fence > fence, held.head >= last.head { throw refuse(.fenced) }
        // The newest changes are gone, and their numbers could be given again: whoever continues begins a new history.
        if !follows, held.epoch == epoch, held.fence <= fence, try isAlone || comesAlone(connection) {
            try renew(connection, after: held.head, through: last.head)
        }
        throw refuse(.lostHistory)
    }

    /// Waits for the lock of the server that records: our own connection that broke holds it until the database has noticed.
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
    /// The error for a database that lacks changes that were recorded and shown.
    fileprivate static var lostHistory: JournalError {
        JournalError(
            .corrupt,
            "The database has lost changes that were recorded, as after a failover to a replica that was behind. Restart "
                + "the server: it continues with what is left, as a new history.")
    }
}
