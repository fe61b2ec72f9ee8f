import Foundation
import Synchronization

/// Reserves a journal for one writing process.
///
/// SQLite's own locks would let two processes write in turn, each with a board that lacks the other's runs; its
/// exclusive mode would lock out readers such as an export. The writer therefore holds a lock on a file beside the
/// journal. The system releases it when the process ends, however it ends; the file itself stays and has no meaning. If
/// somebody removes the file, the holder creates it again; the journal's file is locked too
/// (``OpenFile/lockBeyondEnd()``), so that no other writer can slip in.
final class JournalFileLock: Sendable {
    private let path: String
    private let file: Mutex<OpenFile>

    /// Acquires the lock at once.
    ///
    /// Throws `locked` if another process, or another journal of this process, holds it.
    init(path: String) throws(JournalError) {
        self.path = path
        file = Mutex(try Self.take(path))
    }

    /// Checks that the lock is still on the file with its name, which somebody may have removed.
    ///
    /// Throws `locked` if another process has acquired it in the meantime.
    func check() throws(JournalError) {
        guard !file.withLock({ $0.isInPlace }) else { return }
        let taken = try Self.take(path)
        file.withLock { $0 = taken }
    }

    /// Releases the lock.
    func release() {
        file.withLock { file in
            file.unlock()
            file.close()
        }
    }

    private static func take(_ path: String) throws(JournalError) -> OpenFile {
        while true {
            let file: OpenFile
            do {
                file = try OpenFile(path: path)
            } catch {
                throw JournalError.of(error, at: path)
            }
            guard file.lock() else { throw .inUse }
            // Between opening and locking, somebody may have removed the file, and another file may have its name.
            if file.isInPlace { return file }
        }
    }
}

extension JournalError {
    /// The error for a journal that another process writes.
    static var inUse: JournalError {
        JournalError(
            .locked, "Another Weir is using this journal. Stop it first, or give this one another data folder.")
    }
}
