package import Foundation

/// What a folder's files look like from outside: equal as long as nobody touched them.
///
/// Symbolic links are followed, so that a folder whose links are moved at once, as Kubernetes does it, has another
/// signature when they were.
package struct FolderSignature: Sendable, Hashable {
    private struct File: Hashable {
        let size: Int64
        let inode: UInt64
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// Nil for a folder that cannot be read.
    private let files: [String: File]?

    /// Looks at a folder, its operation files and their templates.
    package init(_ folder: URL) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            files = nil
            return
        }
        var files: [String: File] = [:]
        for name in names.sorted().prefix(4 * OperationFolder.limit) where !name.hasPrefix(".") {
            let path = folder.appending(path: name).path
            if name.hasSuffix(".yml") || name.hasSuffix(".yaml") {
                files[name] = Self.file(path)
            } else if let templates = try? FileManager.default.contentsOfDirectory(atPath: path) {
                for template in templates.prefix(OperationFolder.limit) where template.hasSuffix(".mustache") {
                    files["\(name)/\(template)"] = Self.file(path + "/" + template)
                }
            }
        }
        self.files = files
    }

    private static func file(_ path: String) -> File? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return File(
            size: Int64(clamping: status.st_size), inode: UInt64(clamping: status.st_ino),
            seconds: Int64(clamping: time.tv_sec),
            nanoseconds: Int64(clamping: time.tv_nsec))
    }
}
