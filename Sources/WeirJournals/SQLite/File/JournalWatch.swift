import Foundation
import GRDB
import Synchronization

/// Checks whether the files of an open journal are still at their paths and complete.
///
/// SQLite keeps its files open even if they are renamed or removed: data written to a removed file is lost with the
/// process. Called on the writer's queue, before each append.
final class JournalWatch: Sendable {
    /// The files were removed or replaced; the open files still contain everything.
    struct Misplaced: Error {}

    /// Another program wrote to the files, bypassing SQLite.
    struct Altered: Error {}

    private struct Noted {
        var file: OpenFile.Status?
        var log: OpenFile.Status?
        /// The smallest size of the database since it was opened, in bytes.
        var least = Int64.max
        var isAltered = false
    }

    let file: OpenFile
    private let log: OpenFile
    private let noted: Mutex<Noted>

    /// Watches the file of an open database and its log.
    init(_ file: OpenFile) throws(POSIXError) {
        self.file = file
        log = try OpenFile(path: file.path + "-wal")
        noted = Mutex(Noted())
        note()
    }

    /// Checks that the files are in place and unmodified since the last write.
    ///
    /// - Throws: ``Misplaced``; or ``Altered``, which cannot be repaired.
    func check(_ database: Database) throws {
        guard let (file, log) = statuses else { throw Misplaced() }
        let isAltered = noted.withLock { noted in
            noted.isAltered = noted.isAltered || wereAltered(file, log, since: noted, database)
            (noted.file, noted.log) = (file, log)
            return noted.isAltered
        }
        if isAltered { throw Altered() }
    }

    /// Detects changes that bypass SQLite; programs that use SQLite may write to both files at any time, and truncate
    /// them.
    private func wereAltered(
        _ file: OpenFile.Status, _ log: OpenFile.Status, since noted: Noted, _ database: Database
    ) -> Bool {
        guard let lastFile = noted.file, let lastLog = noted.log else { return false }
        if file.size < min(lastFile.size, noted.least), file.size != sizeInHeader { return true }
        if log.size < lastLog.size, log.size > 0 || !isLogEmpty(database) { return true }
        return log != lastLog && !isLog
    }

    /// The size of the database in the file's header, which `VACUUM` changes together with the file's size.
    private var sizeInHeader: Int64? {
        do {
            let header = try file.read(upTo: 32).map(Int64.init)
            guard header.count == 32 else { return nil }
            let page = header[16] << 8 | header[17]
            return (page == 1 ? 65_536 : page) * header[28...].reduce(0) { $0 << 8 | $1 }
        } catch { return nil }
    }

    /// Whether SQLite has emptied the log after a complete checkpoint; false if the log was truncated otherwise.
    private func isLogEmpty(_ database: Database) -> Bool {
        do { return try database.checkpoint(.passive).walFrameCount == 0 } catch { return false }
    }

    /// Whether the log is valid or empty.
    private var isLog: Bool {
        do {
            let beginning = try log.read(upTo: 4)
            return beginning.isEmpty || [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]].contains(beginning)
        } catch { return true }
    }

    var isInPlace: Bool { statuses != nil }

    /// Whether the file was written since the last note.
    var isFileWritten: Bool { file.status != noted.withLock { $0.file } }

    var isFileInPlace: Bool { file.isInPlace }

    var isLogInPlace: Bool { log.isInPlace }

    /// Records the state of the files after a legitimate change.
    func note() {
        guard let file = file.status, let log = log.status else { return }
        noted.withLock { ($0.file, $0.log) = (file, log) }
    }

    /// Records the current size of the database, to which its file may shrink.
    func noteDatabase(bytes: Int64) {
        noted.withLock { $0.least = min($0.least, bytes) }
    }

    /// Closes the files; all connections must be closed.
    func close() {
        log.close()
        file.close()
    }

    private var statuses: (file: OpenFile.Status, log: OpenFile.Status)? {
        guard let ownFile = file.status, let ownLog = log.status,
            let file = OpenFile.status(of: file.path), file.isSameFile(as: ownFile),
            let log = OpenFile.status(of: log.path), log.isSameFile(as: ownLog)
        else { return nil }
        return (file, log)
    }
}
