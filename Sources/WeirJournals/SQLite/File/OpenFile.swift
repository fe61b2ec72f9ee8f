import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that stays open, so that it can be distinguished from another one that takes its name.
final class OpenFile: Sendable {
    /// The file system's status of a file.
    struct Status: Equatable {
        /// The number by which the file system identifies it, whatever its name.
        let number: UInt64
        let device: UInt64
        let size: Int64
        /// When it was written last, in nanoseconds since 1970.
        let modified: Int64
        /// Whether it is as it was last written: whoever copies something over it gives it the times of the copied file, or
        /// changes it otherwise without writing.
        let isAsWritten: Bool

        /// Whether both are the same file.
        func isSameFile(as other: Status) -> Bool { number == other.number && device == other.device }
    }

    let path: String
    private let descriptor: Mutex<Int32>

    /// Opens a file for reading and writing, creating it for its owner only if it does not exist.
    convenience init(path: String) throws(POSIXError) { try self.init(path: path, O_RDWR | O_CREAT) }

    /// Opens a file that exists for reading, also where nothing can be written.
    ///
    /// If a pipe has its name, this does not wait for somebody to write to it.
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
    /// This drops every lock that SQLite holds on it in this process (as POSIX defines), so call it only after the last
    /// connection is closed.
    func close() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            closeDescriptor(descriptor)
            descriptor = -1
        }
    }

    // MARK: What it is

    /// The status of the open file; nil once it is closed.
    var status: Status? {
        descriptor.withLock { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 ? Status(status) : nil
        }
    }

    /// The status of whatever is at that path; nil if there is nothing.
    static func status(of path: String) -> Status? {
        var status = stat()
        return stat(path, &status) == 0 ? Status(status) : nil
    }

    /// Whether the file is still at its path.
    var isInPlace: Bool {
        guard let own = status, let other = Self.status(of: path) else { return false }
        return own.isSameFile(as: other)
    }

    // MARK: What it holds

    /// Reads up to a number of bytes from the beginning.
    func read(upTo count: Int) throws(POSIXError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        let length = descriptor.withLock { descriptor in
            // Unsafe memory: the system writes no more than the given number of bytes.
            bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        }
        guard length >= 0 else { throw Self.lastError }
        return Array(bytes.prefix(length))
    }

    /// Writes bytes at an offset.
    func write(_ bytes: [UInt8], at offset: Int) throws(POSIXError) {
        let length = descriptor.withLock { descriptor in
            // Unsafe memory: the system reads no more than the given number of bytes.
            bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        }
        guard length == bytes.count else { throw length < 0 ? Self.lastError : POSIXError(.ENOSPC) }
    }

    /// Removes everything that it holds, and returns once that is on the disk.
    func empty() throws(POSIXError) {
        guard descriptor.withLock({ ftruncate($0, 0) }) == 0 else { throw Self.lastError }
        try synchronize()
    }

    /// Returns once the written data is on the disk.
    func synchronize() throws(POSIXError) {
        let result = descriptor.withLock { descriptor in
            #if canImport(Darwin)
                // The guarantee that fsync has elsewhere. Not every file system supports it.
                if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
            #endif
            return fsync(descriptor)
        }
        guard result == 0 else { throw Self.lastError }
    }

    /// Renames a file, replacing whatever has the new name.
    static func move(_ path: String, to target: String) throws(POSIXError) {
        guard rename(path, target) == 0 else { throw lastError }
    }

    // MARK: Locks

    /// Locks the whole file; returns false if another holder has the lock.
    func lock() -> Bool { descriptor.withLock { flock($0, LOCK_EX | LOCK_NB) } == 0 }

    /// Unlocks the whole file.
    func unlock() { _ = descriptor.withLock { flock($0, LOCK_UN) } }

    /// Locks a byte that no database reaches and SQLite does not lock; returns false if another holder has the lock.
    ///
    /// The lock belongs to the open file and not to the process, so that nothing SQLite does drops it. If the system
    /// has no such locks, no lock is acquired and the result is true.
    func lockBeyondEnd() -> Bool {
        #if canImport(Darwin)
            let command: Int32 = 90
        #else
            let command: Int32 = 37
        #endif
        var range = flock()
        // Never traps: a small constant of the system.
        range.l_type = Int16(F_WRLCK)
        range.l_start = off_t(1) << 62
        range.l_len = 1
        return descriptor.withLock { descriptor in
            fcntl(descriptor, command, &range) == 0 || (errno != EAGAIN && errno != EACCES)
        }
    }

    private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension OpenFile.Status {
    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
            let (changed, modified) = (status.st_ctimespec, status.st_mtimespec)
        #else
            let (changed, modified) = (status.st_ctim, status.st_mtim)
        #endif
        self.init(
            number: UInt64(truncatingIfNeeded: status.st_ino), device: UInt64(truncatingIfNeeded: status.st_dev),
            size: Int64(status.st_size),
            modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec),
            // A write sets both, in one moment.
            isAsWritten: changed.tv_sec.subtractingReportingOverflow(modified.tv_sec).partialValue.magnitude < 2)
    }
}

/// The system's `close`, which a method of that name hides.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
