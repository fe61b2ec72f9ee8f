import GRDB
import GRDBSQLite

/// The open connections to a journal's file, and what guards the file in the meantime.
final class JournalConnection: Sendable {
    let pool: DatabasePool
    /// Nil if the journal is only read.
    let guarded: (watch: JournalWatch, mark: MarkFile)?

    init(pool: DatabasePool, guarded: (watch: JournalWatch, mark: MarkFile)?) {
        self.pool = pool
        self.guarded = guarded
    }

    /// Checks, before anything is written, that it will be kept.
    ///
    /// On the writer's queue. Throws `JournalWatch.Misplaced` or a `JournalError`.
    func check(_ database: Database) throws {
        guard let guarded else { return }
        try guarded.watch.check(database)
        try guarded.mark.check()
    }

    /// Copies the log into the file and empties it; returns false if active readers prevent that.
    func checkpoint(_ database: Database) throws -> Bool {
        defer { guarded?.watch.note() }
        do {
            try database.checkpoint(.truncate)
            guarded?.mark.filed()
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // A reader still needs the log: SQLite's own next checkpoint is enough.
            return false
        }
    }

    /// Copies into the file what readers allow; returns whether that is everything, and so on the disk.
    func isAllInFile(_ database: Database) throws -> Bool {
        do {
            let frames = try database.checkpoint(.passive)
            return frames.walFrameCount == frames.checkpointedFrameCount
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return false
        }
    }

    /// Notes how the files are after something was written, or was tried to be.
    func note(_ database: Database) {
        guard let guarded else { return }
        // SQLite copies the log into the file now and then by itself. What was written is recorded, whether or not that
        // can be found out.
        if guarded.watch.isFileWritten {
            do { if try isAllInFile(database) { guarded.mark.filed() } } catch { _ = error }
        }
        guarded.watch.note()
    }

    /// Closes the files.
    func close(isInOrder: Bool) throws {
        try pool.close()
        guarded?.watch.close()
        try guarded?.mark.close(isInOrder: isInOrder)
    }

    /// Closes files whose names other files have taken, without removing those.
    ///
    /// - Parameter isReplaced: Whether their history goes on in other files, so that it must not go on in these.
    /// - Throws: `DatabaseError`.
    func abandon(isReplaced: Bool) throws {
        pool.writeWithoutTransaction { database in
            var keeps: Int32 = 1
            _ = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
        }
        try pool.close()
        guarded?.watch.close()
        if isReplaced { guarded?.mark.renounce() } else { guarded?.mark.leave() }
    }
}
