import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files that only their owner can read.
enum PrivateFile {
    /// Opens a file, which is made with permissions for its owner alone; its folder is made too.
    static func open(_ url: URL, flags: Int32) throws -> FileHandle {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        #if canImport(Darwin)
            let descriptor = Darwin.open(url.path, flags | O_CLOEXEC, 0o600)
        #elseif canImport(Glibc)
            let descriptor = Glibc.open(url.path, flags | O_CLOEXEC, 0o600)
        #elseif canImport(Musl)
            let descriptor = Musl.open(url.path, flags | O_CLOEXEC, 0o600)
        #endif
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Replaces the contents of a file in one step.
    static func replace(_ url: URL, with data: Data) throws {
        let draft = url.appendingPathExtension("new")
        let file = try open(draft, flags: O_WRONLY | O_CREAT | O_TRUNC)
        try file.write(contentsOf: data)
        try file.synchronize()
        try file.close()
        guard rename(draft.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
