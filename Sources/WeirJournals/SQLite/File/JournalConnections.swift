import Dispatch
import GRDB
import Synchronization
import WeirFlows

/// The connections to the journal's file, which are replaced if the file is removed.
///
/// One connection writes; others read concurrently. Before each write, the files are checked: removed or replaced
/// ones are restored, and the operation is retried on a new connection.
final class JournalConnections: Sendable {
    /// The number of consecutive restorations before the operation fails.
    private static let attempts = 4

    private let file: JournalFile
    private let epoch: String
    private let lock: JournalFileLock?
    private let noticeFile: NoticeFile?
    private let now: @Sendable () -> Timestamp
    private let held: Mutex<JournalConnection>
    /// Restores and closes the files, one at a time.
    private let repair = DispatchQueue(label: "journal.repair")
    /// Whether the journal is closed; later operations must not open the files again.
    private let isClosed = Atomic(false)
    private let reads = Atomic(0)
    private let writes = Atomic(0)

    init(
        _ connection: JournalConnection, of file: JournalFile, epoch: String, lock: JournalFileLock?,
        noticeFile: NoticeFile?, now: @escaping @Sendable () -> Timestamp
    ) {
        held = Mutex(connection)
        self.file = file
        self.epoch = epoch
        self.lock = lock
        self.noticeFile = noticeFile
        self.now = now
    }

    var current: JournalConnection { held.withLock { $0 } }

    var accesses: (reads: Int, writes: Int) {
        (reads.load(ordering: .relaxed), writes.load(ordering: .relaxed))
    }

    func close() async {
        do {
            // Restores files that were removed just before.
            try await onWriter { _ in }
        } catch { _ = error }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            repair.async { [self] in
                isClosed.store(true, ordering: .sequentiallyConsistent)
                // An error loses nothing: each append was a transaction, and the next opening reads the log, as after
                // a crash.
                do { try close(current) } catch { _ = error }
                lock?.release()
                continuation.resume()
            }
        }
    }

    private func close(_ connection: JournalConnection) throws {
        guard file.canWrite else { return try connection.close(isInOrder: false) }
        var isInOrder = false
        do {
            // Readers are closed last and cannot checkpoint the log, so a copy of the file alone would lack the log's
            // contents.
            isInOrder = try connection.pool.writeWithoutTransaction { database in
                try connection.check(database)
                return try connection.checkpoint(database)
            }
        } catch is DatabaseError {
            isInOrder = false
        } catch {
            return try connection.abandon(isReplaced: false)
        }
        try connection.close(isInOrder: isInOrder)
    }

    /// Runs one transaction, which completes even if the task is cancelled.
    func write<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        writes.add(1, ordering: .relaxed)
        return try await onWriter { [self] database in
            let mark = current.guarded?.mark
            // Other data, such as lines of output, can be lost with the machine just as changes can.
            try mark?.unsettle()
            return try Self.transaction(database, mark, body)
        }
    }

    /// Runs one transaction; if it changes anything, counts it in the file, then in the mark.
    private static func transaction<Result>(
        _ database: Database, _ mark: MarkFile?, _ body: (Database) throws -> Result
    ) throws -> Result {
        var written: (result: Result, head: SequenceNumber, writes: Int64)?
        try database.inTransaction(.immediate) {
            let before = database.totalChangesCount
            let result = try body(database)
            if database.totalChangesCount != before {
                try SQLStatement(database, "UPDATE journal SET writes = writes + 1").run()
            }
            written = try SQLStatement(database, "SELECT head, writes FROM journal").first {
                (result, try $0.sequence(0), $0.integer(1))
            }
            // Before a change with that sequence becomes visible.
            if let written { try mark?.reserve(through: written.head) }
            return .commit
        }
        guard let written else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        mark?.reached(written.head, writes: written.writes)
        return written.result
    }

    /// Runs a body on the writer's queue, after checking that the files are in place.
    func onWriter<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        for _ in 0..<Self.attempts {
            let connection = current
            do {
                return try await onWriter(of: connection, body)
            } catch is JournalWatch.Misplaced {
                do {
                    try await putBack(connection)
                } catch  where file.isFolderMissing {
                    // Removed again in the meantime: the next attempt recreates it.
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
                        try checkFiles(of: connection, database)
                        defer { connection.note(database) }
                        return try body(database)
                    })
            }
        }
    }

    /// Throws `JournalWatch.Misplaced`, or a `JournalError` that restoring the files would not fix.
    private func checkFiles(of connection: JournalConnection, _ database: Database) throws {
        try checkIsOpen()
        do {
            // The files first: without the folder, a lock cannot be created.
            try connection.check(database)
            try lock?.check()
        } catch is JournalError where file.isFolderMissing {
            // The folder was removed between two of these checks.
            throw JournalWatch.Misplaced()
        }
    }

    private func checkIsOpen() throws(JournalError) {
        guard isClosed.load(ordering: .sequentiallyConsistent) else { return }
        throw JournalError(.unavailable, "The journal is closed.")
    }

    private func isMisplaced(_ connection: JournalConnection) -> Bool {
        !isClosed.load(ordering: .relaxed) && connection.guarded?.watch.isInPlace == false
    }

    private func putBack(_ connection: JournalConnection) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            repair.async { [self] in
                continuation.resume(
                    with: outcome {
                        try checkIsOpen()
                        // A concurrent caller may have restored them.
                        guard current === connection else { return }
                        let moment = now()
                        let repair = JournalRepair(file: file, lock: lock, now: moment)
                        let (mended, aside) = try repair.putBack(connection, epoch: epoch)
                        held.withLock { $0 = mended }
                        try connection.abandon(isReplaced: true)
                        // The restored files record again even if this notice cannot be written yet.
                        noticeFile?.addWhenPossible(JournalNotice(.restored, at: moment, file: aside))
                    })
            }
        }
    }

    func noteDatabase(pages: Int64) {
        current.guarded?.watch.noteDatabase(bytes: pages.multipliedReportingOverflow(by: 4_096).partialValue)
    }

    /// Reads a snapshot of the journal, concurrently with writes.
    ///
    /// With `threads`, it also waits for one of them; throws ``WorkPool/Busy`` if too many jobs wait.
    func read<Result: Sendable>(
        on threads: WorkPool? = nil, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        reads.add(1, ordering: .relaxed)
        var connection = current
        for _ in 0..<Self.attempts {
            do {
                return try await read(of: connection, on: threads, body)
            } catch  where connection !== current || isMisplaced(connection) {
                // A reader opens a missing file, or is closed during a restoration.
                if file.canWrite { try await onWriter { _ in } }
                connection = current
            }
        }
        return try await read(of: connection, on: threads, body)
    }

    private func read<Result: Sendable>(
        of connection: JournalConnection, on threads: WorkPool?,
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        if let threads {
            return try await threads.run { [self] in try outcome { try connection.pool.read(body) }.get() }
        }
        return try await withCheckedThrowingContinuation { continuation in
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
            if (meaning as? JournalError)?.code == .corrupt {
                file.suspect(error is JournalWatch.Altered ? .altered : .damaged)
            }
            return .failure(meaning)
        }
    }
}
