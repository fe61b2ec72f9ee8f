import Foundation
import GRDB
import GRDBSQLite

/// The open connections to a journal's file, with the watch and the mark that guard it.
final class JournalConnection: Sendable {
    let pool: DatabasePool
    /// Nil if the journal is open for reading.
    let guarded: (watch: JournalWatch, mark: MarkFile)?

    init(pool: DatabasePool, guarded: (watch: JournalWatch, mark: MarkFile)?) {
        self.pool = pool
        self.guarded = guarded
    }

    /// Checks, before a write, that the write will be kept.
    ///
    /// Runs on the writer's queue. Throws `JournalWatch.Misplaced` or a `JournalError`.
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
            // A reader still needs the log; SQLite's next automatic checkpoint suffices.
            return false
        }
    }

    /// Copies into the file what readers allow; returns whether the file is then complete, and therefore on the disk.
    func isAllInFile(_ database: Database) throws -> Bool {
        do {
            let frames = try database.checkpoint(.passive)
            return frames.walFrameCount == frames.checkpointedFrameCount
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return false
        }
    }

    /// Records the state of the files after a write or an attempt.
    func note(_ database: Database) {
        guard let guarded else { return }
        // SQLite checkpoints automatically now and then. A failure to detect that is harmless: the write itself is
        // recorded.
        if guarded.watch.isFileWritten {
            do { if try isAllInFile(database) { guarded.mark.filed() } } catch { _ = error }
        }
        guarded.watch.note()
    }

    func close(isInOrder: Bool) throws {
        try pool.close()
        guarded?.watch.close()
        try guarded?.mark.close(isInOrder: isInOrder)
    }

    /// Closes files that others have replaced, without removing the replacements.
    ///
    /// - Parameter isReplaced: Whether their history continues in other files, so that it must not continue in these.
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

/// Restores the files of a journal that were removed or replaced while it was open.
///
/// The files that SQLite has open still contain everything. Their contents are copied to a new file, which is moved
/// to the path. A foreign file at the path is set aside.
struct JournalRepair {
    let file: JournalFile
    let lock: JournalFileLock?
    let now: Timestamp

    /// Creates the new file; returns connections to it, and the name of a foreign file that was set aside.
    ///
    /// No append happens in the meantime, because each append first checks the files. Throws `DatabaseError`,
    /// `POSIXError` or `JournalError`, and then leaves the old connections unchanged.
    func putBack(_ connection: JournalConnection, epoch: String) throws -> (JournalConnection, aside: String?) {
        guard let (watch, mark) = connection.guarded else { throw JournalWatch.Misplaced() }
        try FileManager.default.createDirectory(
            atPath: file.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try lock?.check()
        let copy = file.path + "-copy"
        if FileManager.default.fileExists(atPath: copy) { try FileManager.default.removeItem(atPath: copy) }
        // Created here, so that only its owner can access it.
        try OpenFile(path: copy).close()
        try connection.pool.writeWithoutTransaction { database in
            try database.execute(sql: "VACUUM INTO ?", arguments: [copy])
        }
        try OpenFile(path: copy).synchronize()
        var foreign: [String] = []
        if OpenFile.status(of: file.path) != nil, !watch.isFileInPlace { foreign.append("") }
        if OpenFile.status(of: file.path + "-wal") != nil, !watch.isLogInPlace { foreign.append("-wal") }
        let aside = file.nameAside(of: foreign, now: now)
        try file.setAside(foreign, now: now)
        for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: file.path + suffix) {
            try FileManager.default.removeItem(atPath: file.path + suffix)
        }
        try OpenFile.move(copy, to: file.path)
        do {
            return (try file.reopen(epoch: epoch, mark.mark), aside)
        } catch {
            // Otherwise the next attempt would treat the copy as foreign and set it aside.
            try FileManager.default.removeItem(atPath: file.path)
            throw error
        }
    }
}
