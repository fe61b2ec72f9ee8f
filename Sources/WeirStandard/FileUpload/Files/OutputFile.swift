#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

import Foundation
import WeirFlows
import WeirStates

/// A file opened for writing; blocks; closes itself on deinit.
final class OutputFile: Sendable {
    let path: String
    private let descriptor: Locked<CInt>

    /// Opens a file, by default a new one.
    ///
    /// Throws ``FileUploadFailure``.
    init(path: String, flags: CInt = O_CREAT | O_EXCL) throws(FileUploadFailure) {
        guard !FileLimit.isScarce else { throw .ofSystem(EMFILE) }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw .ofSystem(errno) }
        self.path = path
        self.descriptor = Locked(descriptor)
    }

    deinit { close() }

    /// Creates a file under the first unused of the numbered names.
    static func unused(_ path: (Int) -> String) throws(FileUploadFailure) -> OutputFile {
        var number = 1
        while FileSystem.exists(path(number)) { number += 1 }
        for number in number..<number + 1_000 {
            do { return try OutputFile(path: path(number)) } catch {
                guard FileSystem.exists(path(number)) else { throw error }
            }
        }
        throw .fileSystem(reason: "no free name")
    }

    func write(_ bytes: Data) throws(FileUploadFailure) {
        let descriptor = self.descriptor.withLock { $0 }
        // Unsafe memory: the bytes are read within the call that lends them, and no further than their count.
        let code: CInt = bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                #if canImport(Darwin)
                    let count = Darwin.write(descriptor, rest.base, rest.count)
                #elseif canImport(Glibc)
                    let count = Glibc.write(descriptor, rest.base, rest.count)
                #else
                    let count = Musl.write(descriptor, rest.base, rest.count)
                #endif
                if count < 0 && errno == EINTR { continue }
                if count < 0 { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
        guard code == 0 else { throw .ofSystem(code) }
    }

    /// Suspends the thread until the written data is on disk.
    func flushToDisk() throws(FileUploadFailure) {
        guard fsync(descriptor.withLock { $0 }) == 0 else { throw .ofSystem(errno) }
    }

    /// Closes the file; idempotent.
    func close() {
        let descriptor = self.descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard descriptor >= 0 else { return }
        closeDescriptor(descriptor)
    }

    func removeQuietly() { FileSystem.removeQuietly(path) }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var base: UnsafeRawPointer? { UnsafeRawBufferPointer(rebasing: self).baseAddress }
}

/// The system's `close`, which the method of that name shadows.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// A file opened for sequential reading; blocks; closes itself on deinit.
final class InputFile: Sendable {
    /// The size in bytes when the file was opened.
    let size: Int64
    private let descriptor: CInt

    /// Opens a file; nil if it does not exist.
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

    /// Reads up to `count` bytes, fewer only at the end of the file; empty at the end.
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
