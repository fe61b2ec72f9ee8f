package import Foundation

/// Reads regular files at untrusted paths, with a limit on size, and never blocks on a pipe or device.
///
/// Opening a pipe or a device would block the thread until another process writes. Symbolic links are followed.
package enum RegularFile {
    package enum Failure: Error, Sendable {
        /// The path or the target of a link does not exist.
        case missing
        /// The system denied opening or reading the file.
        case unreadable
        /// The path is a folder, a pipe, a socket or a device.
        case notRegular
        /// The file exceeds the limit.
        case tooLarge
        /// The content is not UTF-8.
        case notText
    }

    /// Opens a file for reading; deallocating the handle closes it.
    package static func open(_ path: String) throws(Failure) -> FileHandle {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure(errno) }
        // Checked before opening, which can affect a device, and again after, because the path may have been replaced.
        guard isRegular(status) else { throw .notRegular }
        // Non-blocking, in case the path is now a pipe; the flag does not affect regular files.
        let descriptor = openDescriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard fstat(descriptor, &status) == 0, isRegular(status) else { throw .notRegular }
        return handle
    }

    /// Whether an open file is still the one at a path, not replaced or removed.
    package static func isCurrent(_ file: FileHandle, at path: String) -> Bool {
        var (open, current) = (stat(), stat())
        return fstat(file.fileDescriptor, &open) == 0 && stat(path, &current) == 0 && open.st_ino == current.st_ino
            && open.st_dev == current.st_dev
    }

    /// The content of a file, unless it exceeds `limit` bytes, even if it grows during the read.
    package static func bytes(of path: String, limit: Int) throws(Failure) -> Data {
        let handle = try open(path)
        let bytes: Data
        do {
            // One byte above the limit, to detect a larger file; nil at the end of an empty file.
            bytes = try handle.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw .unreadable
        }
        guard bytes.count <= limit else { throw .tooLarge }
        return bytes
    }

    /// The text of a file of at most `limit` bytes, without a byte order mark.
    package static func text(of path: String, limit: Int) throws(Failure) -> String {
        guard let text = String(validating: try bytes(of: path, limit: limit), as: UTF8.self) else { throw .notText }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

    private static func failure(_ code: CInt) -> Failure { code == ENOENT || code == ENOTDIR ? .missing : .unreadable }
}

/// The system's `open`, which the method of that name shadows.
private func openDescriptor(_ path: String, _ flags: CInt) -> CInt { open(path, flags) }

extension stat {
    /// The time of the last change of the content.
    package var modified: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }

    /// The time of the last change of the content or of the properties.
    package var changed: timespec {
        #if canImport(Darwin)
            st_ctimespec
        #else
            st_ctim
        #endif
    }
}
