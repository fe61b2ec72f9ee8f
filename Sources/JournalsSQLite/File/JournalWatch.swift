import Foundation
import GRDB
import Journals
import Synchronization

/// Checks whether the files of an open journal are still at their paths, and complete.
///
/// SQLite keeps its files open and continues to write whatever happens to their names: what it writes to a removed file
/// is lost with the process. Called on the writer's queue, before each append.
final class JournalWatch: Sendable {
    /// The files were removed, or others have taken their names; the open files still contain everything.
    struct Misplaced: Error {}

    private struct Sizes {
        var file: Int64
        var log: Int64
        /// The smallest size of the database since it was opened, in bytes.
        var least: Int64
        var isShort = false
    }

    let file: OpenFile
    private let log: OpenFile
    private let sizes: Mutex<Sizes>

    /// Watches the file of an open database, and the log beside it.
    init(_ file: OpenFile) throws(POSIXError) {
        self.file = file
        log = try OpenFile(path: file.path + "-wal")
        sizes = Mutex(Sizes(file: 0, log: 0, least: .max))
        noteSizes()
    }

    /// Throws ``Misplaced``, or a `JournalError` if the files were truncated, which cannot be repaired.
    func check() throws {
        guard let (file, log) = statuses else { throw Misplaced() }
        let isShort = sizes.withLock { sizes in
            let isShort = file.size < min(sizes.file, sizes.least) || log.size < sizes.log
            sizes.isShort = sizes.isShort || isShort
            sizes.file = file.size
            sizes.log = log.size
            return sizes.isShort
        }
        if isShort {
            throw JournalError.corrupt(
                JournalFailure("the file or its log was truncated while the server was running", at: self.file.path))
        }
    }

    /// Whether the file of the database is the one at its path.
    var isFileInPlace: Bool { file.isInPlace }

    /// Whether the log is the one at its path.
    var isLogInPlace: Bool { log.isInPlace }

    /// Records the sizes of the files after a legitimate change.
    func noteSizes() {
        guard let file = file.status, let log = log.status else { return }
        sizes.withLock { sizes in
            sizes.file = file.size
            sizes.log = log.size
        }
    }

    /// Records the current size of the database, to which its file may shrink.
    func noteDatabase(bytes: Int64) {
        sizes.withLock { $0.least = min($0.least, bytes) }
    }

    /// Closes the files, once all connections are closed.
    func close() {
        log.close()
        file.close()
    }

    /// The file system's status of both files, if both are in place.
    private var statuses: (file: OpenFile.Status, log: OpenFile.Status)? {
        guard let ownFile = file.status, let ownLog = log.status,
            let file = OpenFile.status(of: file.path), file.isSameFile(as: ownFile),
            let log = OpenFile.status(of: log.path), log.isSameFile(as: ownLog)
        else { return nil }
        return (file, log)
    }
}
