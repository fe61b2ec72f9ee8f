import Foundation

/// Snapshots in the file system.
package struct DiskSnapshotFiles: SnapshotFiles {
    /// Makes access to the file system.
    package init() {}

    /// The text of a file; nil if there is none.
    package func text(of path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    }

    /// Writes a file at once under its name, and makes the folders above it.
    package func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    /// The names of the files in a folder; none if there is no folder.
    package func names(in folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }
}
