import Foundation

/// A folder of this machine that stores uploads.
///
/// A file is written under a hidden name in the same folder, is flushed to the disk, and then gets its final name in
/// one step (`link`, which never takes a name that is in use). No partial file ever has a final name, and no file is
/// ever replaced. The folder belongs to one server at a time: ``removeLeftovers()`` treats every hidden name of this
/// kind as a leftover.
package struct LocalDirectoryDestination: UploadDestination {
    /// The name by which people choose it.
    package let name: String
    private let directory: String

    /// Creates a destination; the folder is made when the first file comes.
    package init(name: String, directory: String) {
        self.name = name
        self.directory = directory
    }

    /// Begins a hidden file.
    package func open(filename: String, size: Int64) async throws -> any UploadSession {
        try FileSystem.makeDirectory(directory)
        let file = try OutputFile.unused { "\(directory)/\(Self.prefix)\($0)\(Self.suffix)" }
        return LocalDirectorySession(
            file: file, directory: directory, destination: name, name: SafeFilename(filename))
    }

    /// Removes hidden files of sessions that ended with their process.
    package func removeLeftovers() async throws {
        for entry in try FileSystem.entries(of: directory)
        where entry.hasPrefix(Self.prefix) && entry.hasSuffix(Self.suffix) {
            try FileSystem.remove("\(directory)/\(entry)")
        }
    }

    private static let prefix = ".weir-upload-"
    private static let suffix = ".part"
}
