import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file being read from its beginning.
///
/// Blocks; closes itself when let go.
final class InputFile: Sendable {
    /// How long it was when it was opened, in bytes.
    let size: Int64
    private let descriptor: CInt

    /// Opens a file; nil if it is not there.
    ///
    /// Throws ``FileUploadFailure``.
    init?(path: String) throws(FileUploadFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .ofSystem(errno)
        }
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw .ofSystem(errno)
        }
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// The next bytes, as many as requested unless the file ends; empty at the end.
    func next(_ count: Int) throws(FileUploadFailure) -> Data {
        var bytes = Data(count: count)
        var filled = 0
        while filled < count {
            // Unsafe memory: the system receives the size of the buffer.
            let got = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .ofSystem(errno) }
            if got == 0 { break }
            filled += got
        }
        return filled == count ? bytes : bytes.prefix(filled)
    }
}
