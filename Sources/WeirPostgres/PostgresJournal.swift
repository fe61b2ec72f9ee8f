import Foundation
import Synchronization
package import WeirJournals

/// The journal in a PostgreSQL database, whose tables `PostgresSchema` describes.
///
/// An append calls one database function, in its own transaction, and waits until the commit is durable as configured
/// in the database. Reads run concurrently on other connections. One server records; others follow it
/// (`SharedJournal`) or are refused. After a lost connection, pending calls are repeated on a new one: the database
/// identifies each by its number and records it once.
package final class PostgresJournal: Journal {
    package let epoch: String
    package let began: Timestamp
    /// The database and its host, without the user and the password.
    package let place: String?

    /// The session in which this server records or follows.
    let entered: EnteredSession
    /// The communication with other servers; nil for a single server, and for a journal opened for reading.
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

    /// The session in which this server records; nil if it follows or only reads.
    var session: PostgresSession? { entered.session }

    package func hurry() {
        for timeout in timeouts { timeout.hurry() }
    }

    /// Closes the connections after pending work; no method may be called afterwards.
    ///
    /// It takes a few seconds at most, even if the database does not answer.
    package func close() async {
        await withDiscardingTaskGroup { group in
            for worker in [writer] + readers { group.addTask { await worker.close() } }
        }
        // After the lock is released, so that another server can acquire it.
        await pulse?.close()
    }

    // MARK: Notices

    /// The number of runs of an interrupted import that were removed when this server began to record.
    package var undoneRuns: Int { undone.load(ordering: .relaxed) }

    /// Rolls back an interrupted import, before this server records anything.
    func undoInterruptedImport() async throws {
        undone.store(try await rollBackImport(), ordering: .relaxed)
    }

    package var notices: [JournalNotice] { known.withLock { $0 } }

    func show(_ notices: [JournalNotice]) { known.withLock { $0 = notices } }

    package func dismissNotice(_ id: String) async throws -> Bool {
        let count = try await call("SELECT weir.dismiss($1, $2)", id)
        known.withLock { $0.removeAll { $0.id == id } }
        return count > 0
    }

    /// Checks that the database is reachable, accepts writes and contains all recorded data, and indexes ended runs.
    package func verify() async throws {
        guard let session else {
            _ = try await head()
            return
        }
        try await writer.run { connection in
            try session.check(connection)
            // Reads succeed in a database that refuses every append.
            let isReadOnly = try connection.first("SELECT current_setting('transaction_read_only') = 'on'") {
                $0.isTrue(0)
            }
            if isReadOnly == true { throw PostgresFailure("25006", "the database is read-only") }
        }
        try await indexWords()
    }

    // MARK: Connections

    /// The session of the recording server; throws if the journal is open for reading or follows.
    func writing() throws -> PostgresSession {
        if let session { return session }
        throw pulse == nil ? JournalError(.readOnly, "The journal was opened only for reading.") : .following
    }

    /// The session of the recording server, or of a following one that appends to its assigned runs.
    func appending() throws -> PostgresSession { try entered.appending ?? writing() }

    /// Calls a database function whose first parameter is the fence, and returns its result.
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

    /// Reads concurrently with writes; each statement has its own snapshot.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        guard let reader = readers.min(by: { $0.load < $1.load }) else { return try await writer.run(body) }
        return try await reader.run(body)
    }

    static let searchTime = Duration.seconds(2)

    /// Searches on half of the read connections, so that other reads can proceed.
    func search<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        let reader = readers.prefix((readers.count + 1) / 2).min { $0.load < $1.load }
        return try await (reader ?? writer).run(body)
    }

    /// Reads a single snapshot concurrently with writes.
    func readMoment<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        try await read { connection in try connection.snapshot { try body(connection) } }
    }
}

extension PostgresJournal {
    package struct Configuration: Sendable {
        /// Whether the journal is opened for reading, while a server may be recording.
        var isReadOnly: Bool
        /// The maximum number of concurrent reads, each on its own connection.
        var readers: Int
        /// The time limit for an answer of the database, after which the connection counts as lost.
        var timeout: Duration
        /// The time to wait for another server that is shutting down.
        var patience: Duration
        /// The server, which follows if another one records; nil to throw `locked` in that case.
        var node: PostgresNode?

        package init(
            isReadOnly: Bool = false, readers: Int = 4, timeout: Duration = .seconds(30),
            patience: Duration = .seconds(3), node: PostgresNode? = nil
        ) {
            self.isReadOnly = isReadOnly
            self.readers = readers
            self.timeout = timeout
            self.patience = patience
            self.node = node
        }
    }

    /// Opens the journal in a database, creating its tables if necessary; the database must exist.
    ///
    /// - Parameters:
    ///   - url: The database, in the syntax of libpq: `postgres://user@host/name?sslmode=verify-full`.
    ///   - configuration: The options of the journal.
    /// - Returns: The open journal.
    /// - Throws: `JournalError`: `locked` if another server records and this one must not follow, `tooNew` if a newer
    ///   version has migrated the tables, `readOnly`, `full`, or `unavailable`.
    package static func open(
        _ url: String, configuration: Configuration = Configuration()
    ) async throws -> PostgresJournal {
        try await open(url, configuration: configuration, now: { Timestamp(Date()) })
    }

    /// Opens the journal in a database, with a given clock.
    static func open(
        _ url: String, configuration: Configuration = Configuration(),
        makeEpoch: @escaping @Sendable () -> String = { JournalEpoch.make() }, now: @escaping @Sendable () -> Timestamp
    ) async throws -> PostgresJournal {
        let opening = PostgresOpening(
            address: try PostgresAddress(url), configuration: configuration, makeEpoch: makeEpoch, now: now)
        let journal = PostgresJournal(try await opening.open())
        guard journal.isRecording else { return journal }
        do {
            try await journal.undoInterruptedImport()
            return journal
        } catch {
            await journal.close()
            throw error
        }
    }
}
