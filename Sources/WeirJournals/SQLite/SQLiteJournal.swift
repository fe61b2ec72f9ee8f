import Foundation
import GRDB
import Synchronization
import WeirFlows

/// The default journal: a SQLite database, in the format that `JournalSchema` describes.
///
/// An append is one transaction on the writer connection. Reads run concurrently on other connections, each on a
/// snapshot. An appended change survives the process immediately, and a power cut according to
/// ``Configuration/Durability``. Only one process writes.
public final class SQLiteJournal: Journal {
    package let epoch: String
    package let began: Timestamp
    /// The number of runs of an interrupted import that were removed on opening.
    package let undoneRuns: Int
    /// Whether the file was a copy, or an older state that was put back, when it was opened.
    package let isCopy: Bool

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
        isCopy = history.isCopy
        self.file = file
        self.noticeFile = noticeFile
        connections = JournalConnections(
            connection, of: file, epoch: history.epoch, lock: lock, noticeFile: noticeFile, now: now)
    }

    /// Opens the journal at a path, creating it if necessary; the folder must exist.
    ///
    /// A file that is damaged, or missing although its companions show that it existed, is renamed together with its
    /// companions, and a new journal begins. A file that has lost changes, or may have, continues under a new epoch.
    /// ``notices`` reports both.
    ///
    /// - Parameters:
    ///   - path: The file's path; its companions have the same path with a suffix.
    ///   - configuration: The options of the file.
    ///   - boot: The identifier of the machine's current boot.
    ///   - makeEpoch: Creates the identifier of a history.
    ///   - now: The wall-clock time.
    /// - Returns: The open journal.
    /// - Throws: `JournalError`: `locked` if another process writes it, `tooNew` if a newer version has written it,
    ///   `readOnly`, `full`, or `unavailable`.
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

    var accesses: (reads: Int, writes: Int) { connections.accesses }

    /// Closes the file after checkpointing the log into it.
    ///
    /// Waits for pending work. No method may be called afterwards.
    public func close() async { await connections.close() }

    var canWrite: Bool { file.canWrite }

    // MARK: Notices

    package var notices: [JournalNotice] { noticeFile?.notices ?? [] }

    /// The notices of the journal at a path, even while a process has it open.
    package static func notices(at path: String) -> [JournalNotice] {
        NoticeFile.read(JournalFile.resolved(path) + "-notices") ?? []
    }

    package func markUnusable() {
        if canWrite { file.suspect(.unusable, mark: connections.current.guarded?.mark.mark) }
    }

    package func dismissNotice(_ id: String) async throws -> Bool { try noticeFile?.remove(id) ?? false }

    /// Checks that all recorded data is in place, and restores it if possible.
    ///
    /// If nothing was written since the previous call, it also synchronizes the journal with the disk.
    package func verify() async throws {
        guard canWrite else { return }
        try await connections.onWriter { [self] database in
            noticeFile?.writeWhatIsNew()
            let connection = connections.current
            guard let mark = connection.guarded?.mark else { return }
            let writes = Int64(accesses.writes)
            guard lastVerified.exchange(writes, ordering: .relaxed) == writes, mark.isAhead else { return }
            // SQLite waits for the disk here, with either durability.
            if try connection.isAllInFile(database) { try mark.settle() }
        }
    }

    // MARK: Reading and writing

    /// Reads a snapshot of the journal, concurrently with writes.
    func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await connections.read(body)
    }

    /// Like `read`, but on fewer threads than there are connections, so that other reads can proceed.
    func search<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        do { return try await connections.read(on: .searches, body) } catch is WorkPool.Busy {
            throw JournalError.tooManySearches
        }
    }

    /// Runs one transaction, which completes even if the task is cancelled.
    func write<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await connections.write(body)
    }

    /// Copies the log into the file and empties it, as far as active readers allow.
    func checkpoint() async throws {
        try await connections.onWriter { [connections] database in _ = try connections.current.checkpoint(database) }
    }

    func noteDatabase(pages: Int64) { connections.noteDatabase(pages: pages) }
}

extension SQLiteJournal {
    /// The options of a journal's file.
    public struct Configuration: Sendable {
        /// The failures that a recorded change survives.
        public enum Durability: Sendable {
            /// The end of the process, including a crash.
            ///
            /// A power cut or a crash of the machine can lose the most recent changes, but does not damage the file:
            /// no change waits for the disk. If changes may be lost, the journal continues as a new history.
            case process
            /// A power cut as well: each batch waits some milliseconds for the disk.
            case machine
        }

        package enum Access: Sendable {
            /// Recording, by one process at a time.
            case writing
            /// Reading only, concurrently with a process that records.
            case reading
        }

        var durability: Durability
        var access: Access
        /// The time to wait for another program that locks the file, in milliseconds.
        var busyTimeout: Int
        /// The maximum size of the file in bytes; nil for no limit.
        var maximumBytes: Int64?
        var searchTime = Duration.seconds(2)

        /// Creates a configuration.
        public init(durability: Durability = .process, busyTimeout: Int = 250, maximumBytes: Int64? = nil) {
            self.init(durability: durability, access: .writing, busyTimeout: busyTimeout, maximumBytes: maximumBytes)
        }

        package init(
            durability: Durability = .process, access: Access, busyTimeout: Int = 250, maximumBytes: Int64? = nil
        ) {
            self.durability = durability
            self.access = access
            self.busyTimeout = busyTimeout
            self.maximumBytes = maximumBytes
        }
    }
}

extension SQLiteJournal {
    /// Opens the journal at a path, creating it if necessary; the folder must exist.
    ///
    /// A damaged file is renamed together with its companions, and a new journal begins. A file that has lost changes
    /// continues under a new epoch. The dashboard shows a notice in both cases.
    ///
    /// - Parameters:
    ///   - path: The file's path; its companions have the same path with a suffix.
    ///   - configuration: The options of the file.
    /// - Returns: The open journal.
    /// - Throws: `JournalError`: `locked` if another process writes it, `tooNew` if a newer version has written it,
    ///   `readOnly`, `full`, or `unavailable`.
    public static func open(
        at path: String, configuration: Configuration = Configuration()
    ) async throws -> SQLiteJournal {
        try await open(at: path, configuration: configuration, now: { Timestamp(Date()) })
    }

    /// Opens the journal at a path, using a fixed time throughout.
    package static func open(
        at path: String, configuration: Configuration = Configuration(), now: Timestamp,
        makeEpoch: @Sendable () -> String = { JournalEpoch.make() }
    ) async throws -> SQLiteJournal {
        try await open(at: path, configuration: configuration, makeEpoch: makeEpoch, now: { now })
    }
}

extension SQLiteJournal {
    package func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        guard !drafts.isEmpty else { return [] }
        return try await write { database in
            let writer = try ChangeWriter(database)
            let changes = try drafts.map { try writer.add($0) }
            try writer.finish()
            return changes
        }
    }

    package func appendOutput(run: String, lines: [OutputDraft], after: SequenceNumber?) async throws -> SequenceNumber
    {
        try await write { try OutputTable($0).append(lines, to: run, after: after) }
    }

    /// Removes ended runs and old changes of stores according to the policy, and returns the space to the disk.
    ///
    /// Each step is a short transaction, and appends are possible between steps. The next call completes an interrupted step or
    /// deletion, and overwrites the deleted content.
    package func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int {
        var removed = 0
        while true {
            let hidden = try await write { try RunRemoval($0).hide(policy, now: now) }
            removed += hidden
            try await sweep()
            if hidden == 0 { break }
        }
        while try await write({ try StoreRemoval($0).sweep(policy) }) {}
        try await shrink()
        return removed
    }

    /// Returns free pages to the disk.
    func shrink() async throws {
        var shrinks = false
        while let pages = try await write({ try RunRemoval($0).shrink() }) {
            noteDatabase(pages: pages)
            shrinks = true
        }
        // The log contains the freed space until it is checkpointed.
        if shrinks { try await checkpoint() }
    }

    package func addImported(_ entries: [ImportedEntry], at now: Timestamp) async throws {
        try await write { try RunImport($0).add(entries, at: now) }
    }

    package func commitImport() async throws {
        try await write { try RunImport($0).commit() }
    }

    /// Removes every run that the open import added, in short transactions.
    package func rollBackImport() async throws -> Int {
        var removed = 0
        while case let count = try await write({ try RunImport($0).rollBackStep() }), count > 0 {
            removed += count
            try await sweep()
        }
        return removed
    }

    package func setNote(_ name: String, _ text: String?) async throws {
        try await write { database in
            guard let text else {
                return try SQLStatement(database, "DELETE FROM notes WHERE name = ?").run(name)
            }
            try SQLStatement(
                database,
                "INSERT INTO notes (name, text) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET text = excluded.text"
            ).run(name, text)
        }
    }
}

extension SQLiteJournal: CopiedJournal {
    package func rows(
        of table: JournalTable, after key: [JournalTable.Value]?, limit: Int
    ) async throws -> [[JournalTable.Value]] {
        let keys = Self.names(table.key)
        let condition = key.map { "WHERE (\(keys)) > (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
        let statement =
            "SELECT \(Self.names(table.columns[...])) FROM \(table.name) \(condition) ORDER BY \(keys) LIMIT ?"
        return try await read { database in
            var rows: [[JournalTable.Value]] = []
            let values = (key ?? []).map(\.bound) + [limit]
            try SQLStatement(database, statement).rows(binding: values) { row in
                rows.append(table.columns.indices.map { Self.value(row, Int32(clamping: $0), table.columns[$0].kind) })
                return true
            }
            return rows
        }
    }

    package func lastKey(of table: JournalTable) async throws -> [JournalTable.Value]? {
        let order = table.key.map { "\"\($0.name)\" DESC" }.joined(separator: ", ")
        return try await read { database in
            try SQLStatement(
                database, "SELECT \(Self.names(table.key)) FROM \(table.name) ORDER BY \(order) LIMIT 1"
            ).first { row in
                table.key.enumerated().map { Self.value(row, Int32(clamping: $0), $1.kind) }
            }
        }
    }

    package func add(_ rows: [[JournalTable.Value]], to table: JournalTable) async throws {
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        try await write { database in
            let insert = try SQLStatement(
                database, "INSERT INTO \(table.name) (\(Self.names(table.columns[...]))) VALUES (\(places))")
            for row in rows { try insert.rows(binding: row.map(\.bound)) { _ in false } }
        }
    }

    package func finishCopy(head: SequenceNumber, note: String) async throws {
        try await write { database in
            try SQLStatement(database, "UPDATE journal SET head = ?").run(head)
            try SQLStatement(database, "DELETE FROM notes WHERE name = ?").run(note)
        }
    }

    private static func names(_ columns: ArraySlice<JournalTable.Column>) -> String {
        columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    }

    private static func value(_ row: SQLRow, _ place: Int32, _ kind: JournalTable.Kind) -> JournalTable.Value {
        if row.isNull(place) { return .null }
        switch kind {
        case .integer, .flag: return .integer(row.integer(place))
        case .text, .anyText: return .text(row.text(place))
        }
    }
}

extension JournalTable.Value {
    fileprivate var bound: any SQLValue {
        switch self {
        case .null: Int64?.none
        case .integer(let number): number
        case .text(let text): text
        }
    }
}
