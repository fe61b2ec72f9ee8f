import Dispatch
import GRDB
import Synchronization
import WeirFlows

/// The connections to the journal's file, which are replaced when somebody removes the file.
///
/// One connection writes, and others read at the same time. Before each write, the files are checked: those that were
/// removed or replaced are restored, and the work begins again on a new connection.
final class JournalConnections: Sendable {
    /// How often files are restored in a row before an operator is asked to find out who removes them.
    private static let attempts = 4

    private let file: JournalFile
    private let epoch: String
    private let lock: JournalFileLock?
    private let noticeFile: NoticeFile?
    private let now: @Sendable () -> Timestamp
    private let held: Mutex<JournalConnection>
    /// Restores and closes the files, one at a time.
    private let repair = DispatchQueue(label: "journal.repair")
    /// Whether it is closed: what comes afterwards must not open the files again.
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

    /// The connection to the files that are in place.
    var current: JournalConnection { held.withLock { $0 } }

    /// How often the file was read and written since it was opened.
    var accesses: (reads: Int, writes: Int) {
        (reads.load(ordering: .relaxed), writes.load(ordering: .relaxed))
    }

    /// Closes the files; waits for what goes on.
    func close() async {
        do {
            // Files that were removed a moment ago are put back first.
            try await onWriter { _ in }
        } catch { _ = error }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            repair.async { [self] in
                isClosed.store(true, ordering: .sequentiallyConsistent)
                // An error loses nothing: each append was a transaction, and the next opening reads the log, as after
                // the server was killed.
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
            // Readers are closed last and cannot copy the log into the file, so a copy of the file alone would lack
            // what is in the log.
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

    /// Runs one transaction.
    ///
    /// It is not undone if the task is cancelled: what was to be recorded is recorded.
    func write<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        writes.add(1, ordering: .relaxed)
        return try await onWriter { [self] database in
            let mark = current.guarded?.mark
            // What is written besides changes, such as lines of output, can be lost with the machine as they can.
            try mark?.unsettle()
            return try Self.transaction(database, mark, body)
        }
    }

    /// Runs one transaction, which is counted in the file, and then in the mark, if it changes anything.
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
            // Before anybody can see a change of that sequence.
            if let written { try mark?.reserve(through: written.head) }
            return .commit
        }
        guard let written else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        mark?.reached(written.head, writes: written.writes)
        return written.result
    }

    /// Runs something on the writer's queue, after checking that the files are in place.
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
            // The files first: if the folder is gone, there is no place for a lock yet.
            try connection.check(database)
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
        !isClosed.load(ordering: .relaxed) && connection.guarded?.watch.isInPlace == false
    }

    /// Restores files that were removed or replaced.
    private func putBack(_ connection: JournalConnection) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            repair.async { [self] in
                continuation.resume(
                    with: outcome {
                        try checkIsOpen()
                        // Another caller may have done it in the meantime.
                        guard current === connection else { return }
                        let moment = now()
                        let repair = JournalRepair(file: file, lock: lock, now: moment)
                        let (mended, aside) = try repair.putBack(connection, epoch: epoch)
                        held.withLock { $0 = mended }
                        try connection.abandon(isReplaced: true)
                        // The restored files record again, whether or not this notice can be written by now.
                        noticeFile?.addWhenPossible(JournalNotice(.restored, at: moment, file: aside))
                    })
            }
        }
    }

    /// Records the current number of pages of the database.
    func noteDatabase(pages: Int64) {
        current.guarded?.watch.noteDatabase(bytes: pages.multipliedReportingOverflow(by: 4_096).partialValue)
    }

    /// Reads one moment of the journal, while others write.
    ///
    /// With `threads`, it also waits for one of these; throws ``WorkPool/Busy`` if too much waits for them.
    func read<Result: Sendable>(
        on threads: WorkPool? = nil, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        reads.add(1, ordering: .relaxed)
        var connection = current
        for _ in 0..<Self.attempts {
            do {
                return try await read(of: connection, on: threads, body)
            } catch  where connection !== current || isMisplaced(connection) {
                // A reader that opens the file at its path finds none, or is closed while the files are restored.
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
