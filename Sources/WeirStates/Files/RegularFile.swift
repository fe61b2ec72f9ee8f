package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads files at paths where others can put something else: it waits for nobody, and reads no more than it may.
///
/// A pipe or a device at such a path would keep the thread that opens it until somebody writes, for ever if nobody does.
/// Symbolic links are followed.
package enum RegularFile {
    /// Why a file was not read.
    package enum Failure: Error, Sendable {
        /// Nothing is there, or a link leads to nothing.
        case missing
        /// The system refuses to open or read it.
        case unreadable
        /// It is a folder, a pipe, a socket or a device.
        case notRegular
        /// It has more bytes than are read.
        case tooLarge
        /// It is not UTF-8.
        case notText
    }

    /// Opens a file for reading; it is closed when the handle is let go.
    package static func open(_ path: String) throws(Failure) -> FileHandle {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure(errno) }
        // Asked before, since opening a device can do something, and again after, since another thing can be there by then.
        guard isRegular(status) else { throw .notRegular }
        // Without waiting for a writer, in case it has become a pipe. It changes nothing for a file.
        let descriptor = openDescriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard fstat(descriptor, &status) == 0, isRegular(status) else { throw .notRegular }
        return handle
    }

    /// Whether an open file is the one at a path, and was not replaced or removed.
    package static func isCurrent(_ file: FileHandle, at path: String) -> Bool {
        var (open, current) = (stat(), stat())
        return fstat(file.fileDescriptor, &open) == 0 && stat(path, &current) == 0 && open.st_ino == current.st_ino
            && open.st_dev == current.st_dev
    }

    /// The bytes of a file, unless there are more than `limit`, also while it grows.
    package static func bytes(of path: String, limit: Int) throws(Failure) -> Data {
        let handle = try open(path)
        let bytes: Data
        do {
            // One byte more than it can have; nil is the end of an empty file.
            bytes = try handle.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw .unreadable
        }
        guard bytes.count <= limit else { throw .tooLarge }
        return bytes
    }

    /// The text of a file of at most `limit` bytes, without the byte order mark that some editors begin it with.
    package static func text(of path: String, limit: Int) throws(Failure) -> String {
        guard let text = String(validating: try bytes(of: path, limit: limit), as: UTF8.self) else { throw .notText }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

    private static func failure(_ code: CInt) -> Failure { code == ENOENT || code == ENOTDIR ? .missing : .unreadable }
}

/// The system's `open`, which a method of that name hides.
private func openDescriptor(_ path: String, _ flags: CInt) -> CInt { open(path, flags) }
