import Foundation
import Synchronization
import WeirStates

/// A file that stays open, so that it can be distinguished from another one at its path.
final class OpenFile: Sendable {
    struct Status: Equatable {
        let number: UInt64
        let device: UInt64
        let size: Int64
        /// When it was last written, in nanoseconds since 1970.
        let modified: Int64
        /// Whether it is unmodified since it was last written: copying over it or restoring it sets other times.
        let isAsWritten: Bool

        func isSameFile(as other: Status) -> Bool { number == other.number && device == other.device }
    }

    let path: String
    private let descriptor: Mutex<Int32>

    /// Opens a file for reading and writing, creating it with access for its owner only.
    convenience init(path: String) throws(POSIXError) { try self.init(path: path, O_RDWR | O_CREAT) }

    /// Opens an existing file for reading, also on a read-only file system.
    ///
    /// Does not block on a pipe.
    convenience init(readingFrom path: String) throws(POSIXError) { try self.init(path: path, O_RDONLY | O_NONBLOCK) }

    private init(path: String, _ flags: Int32) throws(POSIXError) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.lastError }
        self.path = path
        self.descriptor = Mutex(descriptor)
    }

    deinit { close() }

    /// Closes the file.
    ///
    /// As POSIX defines, this drops every lock that SQLite holds on it in this process, so call it only after the
    /// last connection is closed. Releases this file's own locks first: a program that this process is just starting has a copy of
    /// the descriptor, with which they would outlive it.
    func close() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            flock(descriptor, LOCK_UN)
            _ = Self.lockBeyondEnd(descriptor, F_UNLCK)
            closeDescriptor(descriptor)
            descriptor = -1
        }
    }

    // MARK: Status

    /// The status of the open file; nil once it is closed.
    var status: Status? {
        descriptor.withLock { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 ? Status(status) : nil
        }
    }

    /// The status of the file at a path, or nil.
    static func status(of path: String) -> Status? {
        var status = stat()
        return stat(path, &status) == 0 ? Status(status) : nil
    }

    var isInPlace: Bool {
        guard let own = status, let other = Self.status(of: path) else { return false }
        return own.isSameFile(as: other)
    }

    // MARK: Contents

    func read(upTo count: Int) throws(POSIXError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        let length = descriptor.withLock { descriptor in
            // Unsafe memory: the system writes no more than the given number of bytes.
            bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        }
        guard length >= 0 else { throw Self.lastError }
        return Array(bytes.prefix(length))
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(POSIXError) {
        let length = descriptor.withLock { descriptor in
            // Unsafe memory: the system reads no more than the given number of bytes.
            bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        }
        guard length == bytes.count else { throw length < 0 ? Self.lastError : POSIXError(.ENOSPC) }
    }

    /// Truncates the file to zero bytes, and waits for the disk.
    func empty() throws(POSIXError) {
        guard descriptor.withLock({ ftruncate($0, 0) }) == 0 else { throw Self.lastError }
        try synchronize()
    }

    /// Waits until the written data is on the disk.
    func synchronize() throws(POSIXError) {
        let result = descriptor.withLock { descriptor in
            #if canImport(Darwin)
                // Equivalent to fsync on other systems; not every file system supports it.
                if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
            #endif
            return fsync(descriptor)
        }
        guard result == 0 else { throw Self.lastError }
    }

    /// Renames a file, replacing any file with the new name.
    static func move(_ path: String, to target: String) throws(POSIXError) {
        guard rename(path, target) == 0 else { throw lastError }
    }

    // MARK: Locks

    /// Locks the whole file; returns false if another holder has the lock.
    func lock() -> Bool { descriptor.withLock { flock($0, LOCK_EX | LOCK_NB) } == 0 }

    func unlock() { _ = descriptor.withLock { flock($0, LOCK_UN) } }

    /// Locks a byte beyond the end of any database, which SQLite does not lock; returns false if it is already
    /// locked.
    ///
    /// The lock belongs to the open file, not to the process, so that SQLite never drops it. On a system without such
    /// locks, none is acquired and the result is true.
    func lockBeyondEnd() -> Bool {
        descriptor.withLock { Self.lockBeyondEnd($0, F_WRLCK) || (errno != EAGAIN && errno != EACCES) }
    }

    private static func lockBeyondEnd(_ descriptor: Int32, _ type: Int32) -> Bool {
        #if canImport(Darwin)
            let command: Int32 = 90
        #else
            let command: Int32 = 37
        #endif
        var range = flock()
        // Never traps: a small constant of the system.
        range.l_type = Int16(type)
        range.l_start = off_t(1) << 62
        range.l_len = 1
        return fcntl(descriptor, command, &range) == 0
    }

    private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension OpenFile.Status {
    fileprivate init(_ status: stat) {
        let (changed, modified) = (status.changed, status.modified)
        self.init(
            number: UInt64(truncatingIfNeeded: status.st_ino), device: UInt64(truncatingIfNeeded: status.st_dev),
            size: Int64(status.st_size),
            modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec),
            // A write sets both times at once.
            isAsWritten: changed.tv_sec.subtractingReportingOverflow(modified.tv_sec).partialValue.magnitude < 2)
    }
}

/// The system's `close`, which a method of that name hides.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// Reserves a journal for one writing process.
///
/// SQLite's own locks would let two processes write in turn, each with a board that lacks the other's runs; its
/// exclusive mode would lock out readers such as an export. The writer therefore holds a lock on a file beside the
/// journal. The system releases it when the process ends; the file stays and its contents have no meaning. If the
/// file is removed, the holder creates it again; the journal's file is locked too (``OpenFile/lockBeyondEnd()``), so
/// that no other writer can intervene.
final class JournalFileLock: Sendable {
    private let path: String
    private let file: Mutex<OpenFile>

    /// Acquires the lock without waiting.
    ///
    /// Throws `locked` if another process, or another journal of this process, holds it.
    init(path: String) throws(JournalError) {
        self.path = path
        file = Mutex(try Self.take(path))
    }

    /// Checks that the lock file is still in place, and locks a new one if it was removed.
    ///
    /// Throws `locked` if another process has acquired it in the meantime.
    func check() throws(JournalError) {
        guard !file.withLock({ $0.isInPlace }) else { return }
        let taken = try Self.take(path)
        file.withLock { $0 = taken }
    }

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
            // The file may have been removed or replaced between opening and locking.
            if file.isInPlace { return file }
        }
    }
}

extension JournalError {
    static var inUse: JournalError {
        JournalError(
            .locked, "Another Weir is using this journal. Stop it first, or give this one another data folder.")
    }
}

package enum BootSession {
    /// The system's identifier of the current boot; empty if unavailable.
    package static var id: String {
        #if canImport(Darwin)
            var size = 0
            guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 0 else { return "" }
            // Never traps: the system reports a size above 0.
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return "" }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #else
            let bytes = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") ?? Data()
            return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        #endif
    }
}
