import Foundation
import WeirFlows

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A new file being written.
///
/// Blocks; closes itself when let go.
final class OutputFile: Sendable {
    let path: String
    private let descriptor: Locked<CInt>

    /// Opens a file for appending.
    ///
    /// Throws ``FileUploadFailure``. `flags` say how it comes to be, by default by being new.
    init(path: String, flags: CInt = O_CREAT | O_EXCL) throws(FileUploadFailure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw .ofSystem(errno) }
        self.path = path
        self.descriptor = Locked(descriptor)
    }

    deinit { close() }

    /// Creates a file under the first name of a numbered kind that nothing has.
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

    /// Writes all of the bytes.
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

    /// Waits until the disk has what was written.
    func flushToDisk() throws(FileUploadFailure) {
        guard fsync(descriptor.withLock { $0 }) == 0 else { throw .ofSystem(errno) }
    }

    /// Closes it; a second time does nothing.
    func close() {
        let descriptor = self.descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard descriptor >= 0 else { return }
        closeDescriptor(descriptor)
    }

    /// Removes the name.
    func removeQuietly() { FileSystem.removeQuietly(path) }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var base: UnsafeRawPointer? { UnsafeRawBufferPointer(rebasing: self).baseAddress }
}

/// The system's `close`, which a method of that name hides.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
