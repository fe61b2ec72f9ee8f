import Foundation
import Journals

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Holds a journal for one writing process.
///
/// SQLite's own locks would let two processes write in turns, each with a board that knows nothing of the other's runs;
/// its exclusive mode would shut out readers such as an export. So the writer holds a lock on a file beside the
/// journal. The system lets go of it when the process ends, however it ends; the file itself stays, and means nothing.
final class JournalFileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock at once.
    ///
    /// Throws `locked` when another process, or another journal of this one, holds it.
    init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let isForbidden = [EACCES, EPERM, EROFS].contains(errno)
            throw JournalError(
                isForbidden ? .readOnly : .unavailable,
                isForbidden
                    ? "The journal may not be written. Give the server write permission to its data folder."
                    : "The journal cannot be opened. See that its data folder exists and may be written.",
                cause: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Self.close(descriptor)
            throw JournalError(
                .locked,
                "Another Weir is using this journal. Stop it first, or give this one another data folder.")
        }
    }

    /// Lets go.
    func release() { _ = flock(descriptor, LOCK_UN) }

    deinit { Self.close(descriptor) }

    private static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #elseif canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #endif
    }
}
