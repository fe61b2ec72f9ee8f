import Dispatch
import GRDB
public import Journals
import Synchronization

/// The journal in a file: a SQLite database, whose format `JournalSchema` tells.
///
/// The default.
///
/// Appending is one transaction on one connection; reading goes on beside it on others, each seeing one moment. What was
/// appended outlives the process at once, and a power cut as ``Configuration/Durability`` says. One process writes.
public final class SQLiteJournal: Journal {
    /// Names this history; kept in the file.
    public let epoch: String
    /// What a person should know about how the journal was opened.
    public let notices: [JournalNotice]

    let file: JournalFile
    private let lock: JournalFileLock?
    private let pool: DatabasePool
    private let reads = Atomic(0)
    private let writes = Atomic(0)

    private init(
        epoch: String, notices: [JournalNotice], file: JournalFile, lock: JournalFileLock?, pool: DatabasePool
    ) {
        self.epoch = epoch
        self.notices = notices
        self.file = file
        self.lock = lock
        self.pool = pool
    }

    /// Opens the journal at a path, making it if there is none; the folder must be there.
    ///
    /// A damaged file is renamed, its companions too, and a new journal is begun, which ``notices`` tells. Throws
    /// `JournalError`: `locked` when another process writes it, `tooNew` when a newer version has, `readOnly`, `full`,
    /// or `unavailable`.
    public static func open(
        at path: String, configuration: Configuration = Configuration(), now: Timestamp,
        makeEpoch: @Sendable () -> String = { JournalEpoch.make() }
    ) async throws -> SQLiteJournal {
        let file = JournalFile(path: path, configuration: configuration)
        let lock = configuration.access == .writing ? try JournalFileLock(path: path + "-lock") : nil
        do {
            let opened = try file.open(now: now, makeEpoch: makeEpoch)
            return SQLiteJournal(epoch: opened.epoch, notices: [], file: file, lock: lock, pool: opened.pool)
        } catch let error as DatabaseError {
            let meaning = JournalError.of(error)
            guard meaning.code == .corrupt, configuration.access == .writing else { throw meaning }
        }
        do {
            let notice = JournalNotice.setAside(file: try file.setAside(now: now), at: now)
            let opened = try file.open(now: now, makeEpoch: makeEpoch)
            return SQLiteJournal(epoch: opened.epoch, notices: [notice], file: file, lock: lock, pool: opened.pool)
        } catch let error as DatabaseError {
            throw JournalError.of(error)
        }
    }

    /// How often the file was read and written since it was opened.
    public var accesses: (reads: Int, writes: Int) {
        (reads.load(ordering: .relaxed), writes.load(ordering: .relaxed))
    }

    /// Lets go of the file, which then holds all by itself.
    ///
    /// Waits for what goes on. Nothing may be called afterwards.
    public func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async { [pool, lock, canWrite] in
                // Readers are closed last and cannot bring the log into the file, so that whoever copies the file alone
                // would miss what is in the log. One that cannot be brought in, or a connection that cannot be closed,
                // loses nothing: each append was a transaction, and the log is read at the next opening.
                do {
                    if canWrite { _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
                    try pool.close()
                } catch { _ = error }
                lock?.release()
                continuation.resume()
            }
        }
    }

    var canWrite: Bool { file.configuration.access == .writing }

    // MARK: Connections

    /// Runs one transaction.
    ///
    /// It is not undone when the task is cancelled: what was to be recorded is recorded.
    func write<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        writes.add(1, ordering: .relaxed)
        return try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { [self] database in
                continuation.resume(
                    with: outcome {
                        var result: Result?
                        try database.inTransaction(.immediate) {
                            result = try body(database)
                            return .commit
                        }
                        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                        return result
                    })
            }
        }
    }

    /// Copies the log into the file and empties it, as far as readers that are at it allow.
    func checkpoint() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            pool.asyncWriteWithoutTransaction { [self] database in
                continuation.resume(
                    with: outcome {
                        do {
                            try database.checkpoint(.truncate)
                        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                            // A reader still needs the log: the next checkpoint, which is SQLite's own, will do.
                            return
                        }
                    })
            }
        }
    }

    /// Reads at one moment of the journal, beside whoever writes.
    func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        reads.add(1, ordering: .relaxed)
        return try await withCheckedThrowingContinuation { continuation in
            pool.asyncRead { [self] access in
                continuation.resume(with: outcome { try body(access.get()) })
            }
        }
    }

    private func outcome<Result>(_ body: () throws -> Result) -> Swift.Result<Result, any Error> {
        do {
            return .success(try body())
        } catch let error as DatabaseError {
            let meaning = JournalError.of(error)
            if meaning.code == .corrupt { file.suspect() }
            return .failure(meaning)
        } catch {
            return .failure(error)
        }
    }
}
