import Foundation
import GRDB

/// Opens a journal's file: creates it, migrates it to the newest format, or throws the reason why it cannot.
struct JournalFile {
    /// The contents of the path before opening.
    enum Found { case nothing, something, database }

    let path: String
    let configuration: SQLiteJournal.Configuration
    /// The identifier of the machine's current boot.
    let boot: String

    var markPath: String { path + "-mark" }
    var damageMark: String { path + "-damaged" }

    var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }
    var canWrite: Bool { configuration.access == .writing }
    var isFolderMissing: Bool { !FileManager.default.fileExists(atPath: folder) }

    /// Opens the file for reading; throws `DatabaseError` or `JournalError`.
    func openForReading() throws -> (connection: JournalConnection, history: History) {
        // SQLite would remove the log beside an empty file.
        guard let status = OpenFile.status(of: path), status.size > 0 else {
            throw JournalError(
                .unavailable, "The journal's file is missing or empty. Start the server once: it repairs this.")
        }
        let mark = try MarkFile.read(markPath).mark
        let pool = try DatabasePool(path: path, configuration: settings)
        do {
            let history = try pool.read { try check($0) }
            if let mark, mark.epoch == history.epoch, history.head < mark.head || history.writes < mark.writes {
                throw JournalError(
                    .unavailable,
                    "The journal lacks what was recorded last. Start the server once: it keeps what is left, and says what is gone."
                )
            }
            return (JournalConnection(pool: pool, guarded: nil), history)
        } catch {
            try pool.close()
            throw error
        }
    }

    /// Opens the file for writing.
    ///
    /// A file that is damaged, or that is missing or empty although its companions exist, is set aside first. Notices
    /// for the operator are recorded before the action they report, so that an interruption cannot lose them. Throws
    /// `DatabaseError`, `POSIXError` or `JournalError`.
    func openForWriting(
        now: Timestamp, notices: NoticeFile, makeEpoch: () -> String
    ) throws -> (connection: JournalConnection, history: History) {
        let (hasMark, mark, isAsWritten) = try MarkFile.read(markPath)
        // Opening the file writes to the existing log, which may be the only copy of some changes.
        if mark?.isClosed != true { copyLog() }
        defer { forgetLog() }
        let kind: JournalNotice.Kind
        switch try found() {
        case .nothing where !hasMark && isEmpty(path + "-wal"):
            return try open { try begin($0, epoch: makeEpoch(), now: now) }
        case .database:
            do {
                let (filed, isAltered) = (writesWithoutLog, suspicion == .altered)
                return try open { database in
                    try takeUp(
                        database, filed: filed, now: now, notices: notices, makeEpoch: makeEpoch,
                        check: {
                            HistoryCheck(
                                held: $0, mark: mark, boot: boot, isAltered: isAltered, isAsWritten: isAsWritten)
                        })
                }
            } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
                kind = .damaged
            } catch let error as JournalError where error.code == .corrupt {
                kind = .damaged
            }
        case .nothing: kind = .missing
        case .something: kind = .damaged
        }
        _ = keepLog(now: now)
        let suffixes = ["", "-wal", "-shm", "-mark"]
        try notices.add(JournalNotice(kind, at: now, file: nameAside(of: suffixes, now: now)))
        try setAside(suffixes, now: now)
        return try open { try begin($0, epoch: makeEpoch(), now: now) }
    }

    /// The number of bytes on disk, including the log.
    func size() -> Int64 {
        ["", "-wal"].reduce(0) { $0 + (OpenFile.status(of: path + $1)?.size ?? 0) }
    }

    /// Maps an error to a journal error; any other error is returned unchanged.
    func meaning(of error: any Error) -> any Error {
        switch error {
        case let error as DatabaseError: JournalError.of(error, at: path)
        case let error as POSIXError: JournalError.of(error, at: path)
        case is JournalWatch.Altered:
            JournalError.corrupt(
                JournalFailure(
                    "the file or its log was truncated while the server was running, or the log was overwritten",
                    at: path))
        default: error
        }
    }

    // MARK: Opening

    /// Opens connections to the existing file, and runs `body` in one transaction.
    private func open(
        _ body: (Database) throws -> History
    ) throws -> (connection: JournalConnection, history: History) {
        try connecting { pool in
            try copyBeforeMigration(pool)
            let history = try pool.writeWithoutTransaction { database in
                var history: History?
                try database.inTransaction(.immediate) {
                    history = try body(database)
                    return .commit
                }
                guard let history else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                return history
            }
            try checkIfSuspected(pool)
            return history
        }
    }

    /// Opens connections to a file that has replaced another one of the same history.
    func reopen(epoch: String, _ mark: JournalMark) throws -> JournalConnection {
        try connecting { _ in
            History(epoch: epoch, began: Timestamp(milliseconds: 0), head: mark.head, writes: mark.writes)
        }.connection
    }

    private func connecting(
        _ body: (DatabasePool) throws -> History
    ) throws -> (connection: JournalConnection, history: History) {
        let file = try OpenFile(path: path)
        guard file.lockBeyondEnd() else { throw JournalError.inUse }
        let pool = try DatabasePool(path: path, configuration: settings)
        do {
            try keepPromise(pool)
            let history = try body(pool)
            let mark = JournalMark(
                epoch: history.epoch, file: file.status?.number ?? 0, isClosed: false,
                outlivesMachine: configuration.durability == .machine, boot: boot, reserved: history.head,
                head: history.head, writes: history.writes)
            let connection = JournalConnection(
                pool: pool, guarded: (try JournalWatch(file), try MarkFile(path: markPath, mark)))
            try empty(connection)
            return (connection, history)
        } catch {
            try pool.close()
            file.close()
            throw error
        }
    }

    /// Sets the durability, after the creation of the pool, which sets a weaker one.
    private func keepPromise(_ pool: DatabasePool) throws {
        guard configuration.durability == .machine else { return }
        try pool.writeWithoutTransaction { database in
            try database.execute(
                sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        }
    }

    /// Checkpoints the log, so that the file alone identifies itself and its history.
    private func empty(_ connection: JournalConnection) throws {
        try connection.pool.writeWithoutTransaction { database in
            do {
                _ = try connection.checkpoint(database)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                // The first append that does not fit reports this; existing changes remain readable.
                return
            }
        }
    }

    private func checkIfSuspected(_ pool: DatabasePool) throws {
        guard suspicion != nil else { return }
        let verdict = try pool.read { try SQLStatement($0, "PRAGMA integrity_check(1)").first { $0.text(0) } }
        guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict) }
        try forgetSuspicion()
    }

    private var settings: GRDB.Configuration {
        let configuration = configuration
        var settings = GRDB.Configuration()
        settings.label = "journal"
        settings.busyMode = .timeout(Double(configuration.busyTimeout) / 1_000)
        settings.readonly = configuration.access == .reading
        settings.foreignKeysEnabled = false
        settings.prepareDatabase { database in
            guard !database.configuration.readonly else {
                // Enough for the upper levels of the word index, which every search uses.
                return try database.execute(sql: "PRAGMA cache_size = -8000; \(RunTextIndex.vocabulary)")
            }
            // Must precede the creation of the first table to take effect.
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try database.execute(sql: "PRAGMA cache_size = -32000")
            if let bytes = configuration.maximumBytes {
                let size = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
                try database.execute(sql: "PRAGMA max_page_count = \(max(1, bytes / size))")
            }
            try database.execute(sql: RunTextIndex.vocabulary)
        }
        return settings
    }
}
