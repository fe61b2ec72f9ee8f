import Dispatch
import GRDB
public import Journals
import Synchronization

/// The journal in a file: a SQLite database, whose format `JournalSchema` describes.
///
/// The default.
///
/// An append is one transaction on one connection. Reads use other connections at the same time, and each sees one
/// moment. An appended change survives the process at once, and a power cut according to ``Configuration/Durability``.
/// One process writes.
public final class SQLiteJournal: Journal {
    /// Identifies this history; stored in the file.
    package let epoch: String
    /// When this history began; stored in the file.
    package let began: Timestamp

    let file: JournalFile
    private let lock: JournalFileLock?
    private let noticeFile: NoticeFile?
    private let now: @Sendable () -> Timestamp
    private let current: Mutex<JournalConnection>
    /// Restores and closes the files, one at a time.
    private let repair = DispatchQueue(label: "journal.repair")
    /// Whether it is closed: what comes afterwards must not open the files again.
    private let isClosed = Atomic(false)
    private let lastVerified = Atomic<Int64>(-1)
    private let reads = Atomic(0)
    private let writes = Atomic(0)

    private init(
        history: JournalFile.History, file: JournalFile, lock: JournalFileLock?, noticeFile: NoticeFile?,
        connection: JournalConnection, now: @escaping @Sendable () -> Timestamp
    ) {
        epoch = history.epoch
        began = history.began
        self.file = file
        self.lock = lock
        self.noticeFile = noticeFile
        self.now = now
        current = Mutex(connection)
    }

    /// Opens the journal at a path, creating it if there is none; the folder must exist.
    ///
    /// A file that is damaged, or missing although its companions show that it existed, is renamed together with its
    /// companions, and a new journal begins. A file that has lost changes, or may have, continues under a new epoch.
    /// ``notices`` reports both.
    ///
    /// - Parameters:
    ///   - path: The file's path; its companions have the same with an ending.
    ///   - configuration: What it is opened for.
    ///   - boot: Which run of the machine's system this is.
    ///   - makeEpoch: Makes the name of a history.
    ///   - now: The time of day.
    /// - Returns: The journal, ready.
    /// - Throws: `JournalError`: `locked` when another process writes it, `tooNew` when a newer version has, `readOnly`,
    ///   `full`, or `unavailable`.
    package static func open(
        at path: String, configuration: Configuration = Configuration(), boot: String = BootSession.id,
        makeEpoch: @Sendable () -> String = { JournalEpoch.make() }, now: @escaping @Sendable () -> Timestamp
    ) async throws -> SQLiteJournal {
        let file = JournalFile(path: path, configuration: configuration, boot: boot)
        do {
            guard configuration.access == .writing else {
                let opened = try file.openForReading()
                return SQLiteJournal(
                    history: opened.history, file: file, lock: nil, noticeFile: nil, connection: opened.connection,
                    now: now
                )
            }
            let lock = try JournalFileLock(path: path + "-lock")
            let noticeFile = NoticeFile(path: path + "-notices")
            let opened = try file.openForWriting(now: now(), notices: noticeFile, makeEpoch: makeEpoch)
            return SQLiteJournal(
                history: opened.history, file: file, lock: lock, noticeFile: noticeFile, connection: opened.connection,
                now: now)
        } catch {
            throw file.meaning(of: error)
        }
    }

    /// How often the file was read and written since it was opened.
    package var accesses: (reads: Int, writes: Int) {
        (reads.load(ordering: .relaxed), writes.load(ordering: .relaxed))
    }

    /// Lets go of the file, which then holds all by itself.
    ///
    /// Waits for what goes on. Nothing may be called afterwards.
    public func close() async {
        do {
            // Files that were removed a moment ago are put back first.
            try await onWriter { _ in }
        } catch { _ = error }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            repair.async { [self] in
                isClosed.store(true, ordering: .sequentiallyConsistent)
                let connection = connection
                // An error loses nothing: each append was a transaction, and the next opening reads the log, as after
                // the server was killed.
                do { try close(connection) } catch { _ = error }
                lock?.release()
                continuation.resume()
            }
        }
    }

    private func close(_ connection: JournalConnection) throws {
        guard canWrite else { return try connection.close(isInOrder: false) }
        var isInOrder = false
        do {
            // Readers are closed last and cannot copy the log into the file, so a copy of the file alone would lack
            // what is in the log.
            isInOrder = try connection.pool.writeWithoutTransaction { database in
                try connection.check()
                return try connection.checkpoint(database)
            }
        } catch is DatabaseError {
            isInOrder = false
        } catch {
            return try connection.abandon()
        }
        try connection.close(isInOrder: isInOrder)
    }

    var canWrite: Bool { file.configuration.access == .writing }

    // MARK: What an operator should know

    /// What an operator should know about the journal and has not dismissed, oldest first.
    package var notices: [JournalNotice] { noticeFile?.notices ?? [] }

    /// The notices of the journal at a path, whoever has it open.
    package static func notices(at path: String) -> [JournalNotice] { NoticeFile.read(path + "-notices") }

    /// Removes a notice from the list; returns false if there is none with that id.
    package func dismissNotice(_ id: String) async throws -> Bool { try noticeFile?.remove(id) ?? false }

    /// Checks that everything that was recorded is in place, and restores it if possible.
    ///
    /// If nothing has been appended since the previous call, it also waits until the disk has everything.
    package func verify() async throws {
        guard canWrite else { return }
        try await onWriter { [self] database in
            noticeFile?.writeWhatIsNew()
            guard let mark = connection.guarded?.mark else { return }
            let head = mark.mark.head.rawValue
            guard lastVerified.exchange(head, ordering: .relaxed) == head, mark.isAhead else { return }
            // Whatever the durability is, SQLite waits for the disk here.
            if try connection.isAllInFile(database) { try mark.settle() }
        }
    }

    // MARK: Connections

    /// How often files are restored in a row before an operator is asked to find out who removes them.
    private static let attempts = 4

    private var connection: JournalConnection { current.withLock { $0 } }

    /// Runs one transaction.
    ///
    /// It is not undone if the task is cancelled: what was to be recorded is recorded.
    func write<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        writes.add(1, ordering: .relaxed)
        return try await onWriter { try Self.transaction($0, body) }
    }

    /// Runs one transaction that adds changes.
    func record<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        writes.add(1, ordering: .relaxed)
        return try await onWriter { [self] database in
            let mark = connection.guarded?.mark
            let (result, head) = try Self.transaction(database) { database in
                let result = try body(database)
                let head = try SQLStatement(database, "SELECT head FROM journal").first { try $0.sequence(0) } ?? 0
                // Before anybody can see a change of that sequence.
                try mark?.reserve(through: head)
                return (result, head)
            }
            mark?.reached(head)
            return result
        }
    }

    private static func transaction<Result>(
        _ database: Database, _ body: (Database) throws -> Result
    ) throws -> Result {
        var result: Result?
        try database.inTransaction(.immediate) {
            result = try body(database)
            return .commit
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return result
    }

    /// Runs something on the writer's queue, after checking that the files are in place.
    private func onWriter<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        for _ in 0..<Self.attempts {
            let connection = connection
            do {
                return try await onWriter(of: connection, body)
            } catch is JournalWatch.Misplaced {
                do {
                    try await putBack(connection)
                } catch  where file.isFolderMissing {
                    // Removed again in the meantime: the next attempt creates it again.
                }
            }
        }
        throw JournalError(
            .unavailable,
            "The journal's files are removed or replaced again and again. Find out why.",
            cause: JournalFailure("is not the file that was opened", at: file.path))
    }

    private func onWriter<Result: Sendable>(
        of connection: JournalConnection, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            connection.pool.asyncWriteWithoutTransaction { [self] database in
                continuation.resume(
                    with: outcome {
                        try checkFiles(of: connection)
                        defer { connection.guarded?.watch.noteSizes() }
                        return try body(database)
                    })
            }
        }
    }

    /// Throws `JournalWatch.Misplaced`, or a `JournalError` that restoring the files would not fix.
    private func checkFiles(of connection: JournalConnection) throws {
        try checkIsOpen()
        do {
            // The files first: if the folder is gone, there is no place for a lock yet.
            try connection.check()
            try lock?.check()
        } catch is JournalError where file.isFolderMissing {
            // It was removed between two of these checks.
            throw JournalWatch.Misplaced()
        }
    }

    private func checkIsOpen() throws(JournalError) {
        guard isClosed.load(ordering: .sequentiallyConsistent) else { return }
        throw JournalError(.unavailable, "The journal is closed.")
    }

    private func isMisplaced(_ connection: JournalConnection) -> Bool {
        guard !isClosed.load(ordering: .relaxed) else { return false }
        do {
            try connection.guarded?.watch.check()
            return false
        } catch { return error is JournalWatch.Misplaced }
    }

    /// Restores files that were removed or replaced.
    private func putBack(_ connection: JournalConnection) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            repair.async { [self] in
                continuation.resume(
                    with: outcome {
                        try checkIsOpen()
                        // Another caller may have done it in the meantime.
                        guard self.connection === connection else { return }
                        let moment = now()
                        let repair = JournalRepair(file: file, lock: lock, now: moment)
                        let (mended, aside) = try repair.putBack(connection, epoch: epoch)
                        current.withLock { $0 = mended }
                        try connection.abandon()
                        // The restored files record again, whether or not this notice can be written by now.
                        noticeFile?.addWhenPossible(JournalNotice(.restored, at: moment, file: aside))
                    })
            }
        }
    }

    /// Copies the log into the file and empties it, as far as active readers allow.
    func checkpoint() async throws {
        try await onWriter { [self] database in _ = try connection.checkpoint(database) }
    }

    /// Records the current number of pages of the database.
    func noteDatabase(pages: Int64) {
        connection.guarded?.watch.noteDatabase(bytes: pages.multipliedReportingOverflow(by: 4_096).partialValue)
    }

    /// Reads one moment of the journal, while others write.
    func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        reads.add(1, ordering: .relaxed)
        var connection = connection
        for _ in 0..<Self.attempts {
            do {
                return try await read(of: connection, body)
            } catch  where connection !== self.connection || isMisplaced(connection) {
                // A reader that opens the file at its path finds none, or is closed while the files are restored.
                if canWrite { try await onWriter { _ in } }
                connection = self.connection
            }
        }
        return try await read(of: connection, body)
    }

    private func read<Result: Sendable>(
        of connection: JournalConnection, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            connection.pool.asyncRead { [self] access in
                continuation.resume(with: outcome { try body(access.get()) })
            }
        }
    }

    private func outcome<Result>(_ body: () throws -> Result) -> Swift.Result<Result, any Error> {
        do {
            return .success(try body())
        } catch {
            let meaning = file.meaning(of: error)
            if (meaning as? JournalError)?.code == .corrupt { file.suspect() }
            return .failure(meaning)
        }
    }
}
