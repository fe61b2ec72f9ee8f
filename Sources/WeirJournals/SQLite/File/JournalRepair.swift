import Foundation
import GRDB

/// Restores the files of a journal that were removed or replaced while it was open.
///
/// The files that SQLite has open still contain everything, whatever happened to their names. Their contents are copied
/// to a new file, which then replaces whatever is at the path. A foreign file at the path is set aside.
struct JournalRepair {
    let file: JournalFile
    let lock: JournalFileLock?
    let now: Timestamp

    /// The connections to the new file, and the name under which a foreign one is kept.
    ///
    /// Nobody appends in the meantime, because each append first checks the files. Throws `DatabaseError`, `POSIXError`
    /// or `JournalError`, and then leaves the old connections unchanged.
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
            // Otherwise the next attempt would take the copy for a foreign file, and set it aside.
            try FileManager.default.removeItem(atPath: file.path)
            throw error
        }
    }
}
