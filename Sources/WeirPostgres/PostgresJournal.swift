import Synchronization
package import WeirJournals

/// The journal in a PostgreSQL database, whose tables `PostgresSchema` describes.
///
/// Every append is one call of a function in the database, in a transaction of its own, that waits until the database
/// has it on its disk, as the database is set up. Reads use other connections at the same time. One server records; others
/// follow it (`SharedJournal`) or are refused. When a connection breaks, another is made, and what was on its way is sent again: the
/// database knows it by its number, and records it once.
package final class PostgresJournal: Journal {
    /// Identifies this history; stored in the database.
    package let epoch: String
    /// When this history began; stored in the database.
    package let began: Timestamp
    /// The database and its host, without the user and the password.
    package let place: String?

    /// As which server it records, once it does.
    let entered: EnteredSession
    /// What it tells the other servers; nil for a server that is alone, and for a journal that is only read.
    let pulse: PostgresPulse?
    private let timeouts: [AnswerTimeout]
    let now: @Sendable () -> Timestamp
    let writer: PostgresWorker
    private let readers: [PostgresWorker]
    private let known: Mutex<[JournalNotice]>
    private let undone = Atomic<Int>(0)

    init(_ opened: PostgresOpening.Opened) {
        epoch = opened.epoch
        began = opened.began
        place = opened.place
        entered = opened.entered
        (pulse, timeouts) = (opened.pulse, opened.timeouts)
        now = opened.now
        writer = opened.writer
        readers = opened.readers
        known = Mutex(opened.notices)
    }

    /// As which server it records; nil for a journal that is only read, and for one whose server follows another.
    var session: PostgresSession? { entered.session }

    /// Gives the database less time for an answer from now on, as the server shuts down.
    package func hurry() {
        for timeout in timeouts { timeout.hurry() }
    }

    /// Closes the connections, after what is under way.
    ///
    /// Nothing may be called afterwards. Takes some seconds at most, also if the database does not answer.
    package func close() async {
        await withDiscardingTaskGroup { group in
            for worker in [writer] + readers { group.addTask { await worker.close() } }
        }
        // After the lock is released: then another server can have it.
        await pulse?.close()
    }

    // MARK: What an operator should know

    /// How many runs of an interrupted import were removed when this server began to record.
    package var undoneRuns: Int { undone.load(ordering: .relaxed) }

    /// Removes what an import had added that was interrupted, before this server records anything.
    func undoInterruptedImport() async throws {
        undone.store(try await rollBackImport(), ordering: .relaxed)
    }

    /// What an operator should know about the journal and has not dismissed, oldest first.
    package var notices: [JournalNotice] { known.withLock { $0 } }

    /// Lists these notices from now on.
    func show(_ notices: [JournalNotice]) { known.withLock { $0 = notices } }

    /// Removes a notice from the list; returns false if there is none with that id.
    package func dismissNotice(_ id: String) async throws -> Bool {
        let count = try await call("SELECT weir.dismiss($1, $2)", id)
        known.withLock { $0.removeAll { $0.id == id } }
        return count > 0
    }

    /// Checks that the database can be reached and holds everything that was recorded, and indexes ended runs.
    package func verify() async throws {
        guard let session else {
            _ = try await head()
            return
        }
        try await writer.run { try session.check($0) }
        try await indexWords()
    }

    // MARK: Connections

    /// The server that records; throws if the journal is only read.
    func writing() throws -> PostgresSession {
        if let session { return session }
        throw pulse == nil ? JournalError(.readOnly, "The journal was opened only for reading.") : .following
    }

    /// The server that records, or one that appends to the runs that are assigned to it.
    func appending() throws -> PostgresSession { try entered.appending ?? writing() }

    /// Calls one of the functions in the database, whose first value is the fence, and returns its number.
    @discardableResult
    func call<each Value: PostgresValue & Sendable>(
        _ statement: String, _ value: repeat each Value
    ) async throws -> Int64 {
        let session = try writing()
        try session.check()
        return try await writer.run { connection in
            var values: [any PostgresValue] = [session.fence]
            for value in repeat each value { values.append(value) }
            return try connection.first(statement, values) { $0.integer(0) } ?? 0
        }
    }

    /// Reads with statements that each see their own moment, while others write.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        guard let reader = readers.min(by: { $0.load < $1.load }) else { return try await writer.run(body) }
        return try await reader.run(body)
    }

    /// How long a search takes at most.
    static let searchTime = Duration.seconds(2)

    /// Searches with half of the connections that read, so that others can read meanwhile.
    func search<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        let reader = readers.prefix((readers.count + 1) / 2).min { $0.load < $1.load }
        return try await (reader ?? writer).run(body)
    }

    /// Reads one moment of the journal with all its statements, while others write.
    func readMoment<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        try await read { connection in try connection.snapshot { try body(connection) } }
    }
}
