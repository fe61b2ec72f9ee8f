import Foundation
import WeirStates

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// File system operations of uploads; errors are ``FileUploadFailure``.
enum FileSystem {
    /// Creates a folder and its parents with permissions for the owner only; existing folders are unchanged.
    static func makeDirectory(_ path: String) throws(FileUploadFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .ofFoundation(error)
        }
    }

    /// The names in a folder; empty if it does not exist.
    static func entries(of directory: String) throws(FileUploadFailure) -> [String] {
        guard exists(directory) else { return [] }
        do { return try FileManager.default.contentsOfDirectory(atPath: directory) } catch {
            throw .ofFoundation(error)
        }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Removes a file if it exists.
    static func remove(_ path: String) throws(FileUploadFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .ofSystem(errno) }
    }

    /// Removes a file, ignoring errors: a later cleanup finds the file.
    static func removeQuietly(_ path: String) { unlink(path) }

    /// Renames a file atomically within its folder.
    static func rename(_ path: String, to name: String) throws(FileUploadFailure) {
        #if canImport(Darwin)
            let result = Darwin.rename(path, name)
        #elseif canImport(Glibc)
            let result = Glibc.rename(path, name)
        #else
            let result = Musl.rename(path, name)
        #endif
        guard result == 0 else { throw .ofSystem(errno) }
    }

    /// Links a file to a second name; returns false if the name is taken.
    static func giveName(_ name: String, to path: String) throws(FileUploadFailure) -> Bool {
        if link(path, name) == 0 { return true }
        guard errno == EEXIST else { throw .ofSystem(errno) }
        return false
    }

    /// Flushes a folder's entries to disk.
    static func flushDirectory(_ path: String) throws(FileUploadFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .ofSystem(errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .ofSystem(errno) }
    }

    /// The modification time and size of a file, or nil if it does not exist.
    static func status(of path: String) -> (modified: Date, size: Int64)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (Date(timeIntervalSince1970: Double(status.modified.tv_sec)), Int64(status.st_size))
    }
}
