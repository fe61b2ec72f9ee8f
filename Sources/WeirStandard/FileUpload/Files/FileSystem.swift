import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// File system operations of uploads, each failing with a ``FileUploadFailure``.
enum FileSystem {
    /// Creates a folder, with those above it, for this user only; one that is there is left as it is.
    static func makeDirectory(_ path: String) throws(FileUploadFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .ofFoundation(error)
        }
    }

    /// The names in a folder; none when there is no such folder.
    static func entries(of directory: String) throws(FileUploadFailure) -> [String] {
        guard exists(directory) else { return [] }
        do { return try FileManager.default.contentsOfDirectory(atPath: directory) } catch {
            throw .ofFoundation(error)
        }
    }

    /// Whether a file with that name exists.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Removes a file; succeeds if it does not exist.
    static func remove(_ path: String) throws(FileUploadFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .ofSystem(errno) }
    }

    /// Removes a file; if that fails the file stays, and a later cleanup finds it.
    static func removeQuietly(_ path: String) { unlink(path) }

    /// Moves a file to a name in the same folder, in one step.
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

    /// Gives a file a second name; false if something has it.
    static func giveName(_ name: String, to path: String) throws(FileUploadFailure) -> Bool {
        if link(path, name) == 0 { return true }
        guard errno == EEXIST else { throw .ofSystem(errno) }
        return false
    }

    /// Writes a folder's names to the disk.
    static func flushDirectory(_ path: String) throws(FileUploadFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .ofSystem(errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .ofSystem(errno) }
    }

    /// When a file was last written, and its size; nil if it is not there.
    static func status(of path: String) -> (modified: Date, size: Int64)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return (Date(timeIntervalSince1970: Double(time.tv_sec)), Int64(status.st_size))
    }
}
