import Foundation
import GRDB

extension JournalFile {
    /// The identity and state of a file's history.
    struct History {
        let epoch: String
        /// When the history began: later than the one it replaced.
        let began: Timestamp
        let head: SequenceNumber
        let writes: Int64
        /// The number of runs of an interrupted import that were removed on opening.
        var undoneRuns = 0
        /// Whether the file is a copy, or an older state that was put back.
        var isCopy = false
    }

    func begin(_ database: Database, epoch: String, now: Timestamp) throws -> History {
        try database.execute(sql: "PRAGMA application_id = \(JournalSchema.applicationID)")
        try migrate(database, from: 0)
        try SQLStatement(database, "INSERT INTO journal (only, epoch, created, head) VALUES (1, ?, ?, 0)")
            .run(epoch, now.milliseconds)
        return try history(database)
    }

    func takeUp(
        _ database: Database, filed: Int64?, now: Timestamp, notices: NoticeFile, makeEpoch: () -> String,
        check: (HistoryCheck.Held) -> HistoryCheck
    ) throws -> History {
        try checkFormat(database)
        let version = try database.journalVersion()
        let held = try history(database)
        guard !isUnusable(held) else { throw JournalError.damaged("something that no server can start on") }
        let comparison = check(
            .init(
                epoch: held.epoch, head: held.head, writes: held.writes, filed: filed,
                file: OpenFile.status(of: path)?.number ?? 0,
                isMarked: version >= JournalSchema.firstMarked))
        // Before the first write.
        if let notice = notice(of: comparison, now: now) { try notices.add(notice) }
        if comparison.isOlder { suspect(.damaged) }
        try migrate(database, from: version)
        // Rolls back an import that the end of a process interrupted.
        var undoneRuns = 0
        while case let count = try RunImport(database).rollBackStep(), count > 0 { undoneRuns += count }
        if comparison.outcome != .whole {
            try SQLStatement(database, "UPDATE journal SET epoch = ?, created = ?")
                .run(makeEpoch(), max(now, held.began.after(1)).milliseconds)
        }
        // Reading the newest change detects damage at the end of the file, where a crash would leave it.
        _ = try ChangeReader(database).last(1, of: .board, through: .max)
        var history = try history(database)
        history.undoneRuns = undoneRuns
        history.isCopy = comparison.isCopy
        return history
    }

    private func copyPath(format: Int) -> String { "\(path)-format-\(format)" }

    /// Copies a file of an older format, with its log, so that the version that wrote it can be installed again.
    ///
    /// The copy replaces an earlier one of the same format. Throws `JournalError` if it cannot be written; then nothing is
    /// migrated.
    func copyBeforeMigration(_ pool: DatabasePool) throws {
        let format = try pool.writeWithoutTransaction { database in
            try database.schema(is: JournalSchema.applicationID) ? try database.journalVersion() : 0
        }
        guard (1..<JournalSchema.version).contains(format) else { return }
        let (target, part) = (copyPath(format: format), copyPath(format: format) + "-part")
        do {
            try? FileManager.default.removeItem(atPath: part)
            let copy = try DatabaseQueue(path: part)
            try pool.backup(to: copy)
            try copy.close()
            try OpenFile.move(part, to: target)
        } catch {
            try? FileManager.default.removeItem(atPath: part)
            throw JournalError(
                .full,
                "The journal is of an older format, and cannot be copied to \(target) before it is migrated. Free "
                    + "\((size() >> 20) + 1) MB in its data folder, and start again.", cause: error)
        }
    }

    private func migrate(_ database: Database, from version: Int) throws {
        guard version < JournalSchema.version else { return }
        for migration in JournalSchema.migrations.dropFirst(version) where !migration.isEmpty {
            try database.execute(sql: migration)
        }
        try database.execute(sql: "PRAGMA user_version = \(JournalSchema.version)")
    }

    private func notice(of comparison: HistoryCheck, now: Timestamp) -> JournalNotice? {
        switch comparison.outcome {
        case .whole: nil
        case .lost(let range): JournalNotice(.lost, at: now, file: keepLog(now: now), lost: range)
        case .uncertain: JournalNotice(.uncertain, at: now)
        case .unverified: JournalNotice(.unverified, at: now, file: comparison.isOlder ? keepLog(now: now) : nil)
        }
    }

    func check(_ database: Database) throws -> History {
        try checkFormat(database)
        guard try database.journalVersion() == JournalSchema.version else {
            throw JournalError(
                .unavailable, "The journal is of an older format. Start the server once: it migrates the journal.")
        }
        return try history(database)
    }

    private func checkFormat(_ database: Database) throws {
        if try SQLStatement(database, "SELECT count(*) FROM sqlite_schema").first(read: { $0.integer(0) }) == 0 {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the database is empty")
        }
        guard try database.schema(is: JournalSchema.applicationID) else {
            throw JournalError(
                .unavailable, "The file is a database of another program, not a journal. Use another file.")
        }
        guard try database.journalVersion() <= JournalSchema.version else {
            let copy = (1...JournalSchema.version).map { copyPath(format: $0) }.last {
                FileManager.default.fileExists(atPath: $0)
            }
            let remedy =
                copy.map { "or put back the copy from before the upgrade, \($0), which lacks what was recorded since." }
                ?? "or another data folder."
            throw JournalError(.tooNew, "The journal was written by a newer Weir. Use that version, \(remedy)")
        }
    }

    private func history(_ database: Database) throws -> History {
        let writes = try database.journalVersion() < JournalSchema.firstCounted ? "0" : "writes"
        let history = try SQLStatement(database, "SELECT epoch, created, head, \(writes) FROM journal").first { row in
            History(
                epoch: row.text(0), began: Timestamp(milliseconds: row.integer(1)), head: try row.sequence(2),
                writes: row.integer(3))
        }
        guard let history else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the journal has no epoch")
        }
        return history
    }
}

extension Database {
    func schema(is applicationID: Int64) throws -> Bool {
        try SQLStatement(self, "PRAGMA application_id").first { $0.integer(0) } == applicationID
    }

    fileprivate func journalVersion() throws -> Int {
        let version = try SQLStatement(self, "PRAGMA user_version").first { $0.integer(0) } ?? 0
        guard version >= 0 else { throw JournalError.damaged("format \(version)") }
        return Int(clamping: version)
    }
}
