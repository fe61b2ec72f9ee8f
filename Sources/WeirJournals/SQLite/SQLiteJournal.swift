import GRDB
import Synchronization
import WeirFlows

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
    /// How many runs of an interrupted import were removed when the file was opened.
    package let undoneRuns: Int

    let file: JournalFile
    private let noticeFile: NoticeFile?
    private let connections: JournalConnections
    private let lastVerified = Atomic<Int64>(-1)

    private init(
        history: JournalFile.History, file: JournalFile, lock: JournalFileLock?, noticeFile: NoticeFile?,
        connection: JournalConnection, now: @escaping @Sendable () -> Timestamp
    ) {
        epoch = history.epoch
        began = history.began
        undoneRuns = history.undoneRuns
        self.file = file
        self.noticeFile = noticeFile
        connections = JournalConnections(
            connection, of: file, epoch: history.epoch, lock: lock, noticeFile: noticeFile, now: now)
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
        let path = JournalFile.resolved(path)
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
            let noticeFile = NoticeFile(path: path + "-notices", now: now())
            let opened = try file.openForWriting(now: now(), notices: noticeFile, makeEpoch: makeEpoch)
            return SQLiteJournal(
                history: opened.history, file: file, lock: lock, noticeFile: noticeFile, connection: opened.connection,
                now: now)
        } catch {
            throw file.meaning(of: error)
        }
    }

    /// How often the file was read and written since it was opened.
    package var accesses: (reads: Int, writes: Int) { connections.accesses }

    /// Lets go of the file, which then holds all by itself.
    ///
    /// Waits for what goes on. Nothing may be called afterwards.
    public func close() async { await connections.close() }

    var canWrite: Bool { file.canWrite }

    // MARK: What an operator should know

    /// What an operator should know about the journal and has not dismissed, oldest first.
    package var notices: [JournalNotice] { noticeFile?.notices ?? [] }

    /// The notices of the journal at a path, whoever has it open.
    package static func notices(at path: String) -> [JournalNotice] {
        NoticeFile.read(JournalFile.resolved(path) + "-notices") ?? []
    }

    /// Remembers that no board can be opened on the file: the next opening sets it aside.
    package func markUnusable() {
        if canWrite { file.suspect(.unusable, mark: connections.current.guarded?.mark.mark) }
    }

    /// Removes a notice from the list; returns false if there is none with that id.
    package func dismissNotice(_ id: String) async throws -> Bool { try noticeFile?.remove(id) ?? false }

    /// Checks that everything that was recorded is in place, and restores it if possible.
    ///
    /// If nothing has been written since the previous call, it also waits until the disk has everything.
    package func verify() async throws {
        guard canWrite else { return }
        try await connections.onWriter { [self] database in
            noticeFile?.writeWhatIsNew()
            let connection = connections.current
            guard let mark = connection.guarded?.mark else { return }
            let writes = Int64(accesses.writes)
            guard lastVerified.exchange(writes, ordering: .relaxed) == writes, mark.isAhead else { return }
            // Whatever the durability is, SQLite waits for the disk here.
            if try connection.isAllInFile(database) { try mark.settle() }
        }
    }

    // MARK: Reading and writing

    /// Reads one moment of the journal, while others write.
    func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await connections.read(body)
    }

    /// Reads as `read` does, on fewer threads than there are connections, so that others can read meanwhile.
    func search<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        do { return try await connections.read(on: .searches, body) } catch is WorkPool.Busy {
            throw JournalError.tooManySearches
        }
    }

    /// Runs one transaction.
    ///
    /// It is not undone if the task is cancelled: what was to be recorded is recorded.
    func write<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await connections.write(body)
    }

    /// Copies the log into the file and empties it, as far as active readers allow.
    func checkpoint() async throws {
        try await connections.onWriter { [connections] database in _ = try connections.current.checkpoint(database) }
    }

    /// Records the current number of pages of the database.
    func noteDatabase(pages: Int64) { connections.noteDatabase(pages: pages) }
}
