import Foundation

/// A folder of this machine that takes uploads.
///
/// A file grows under a hidden name of its own in the same folder, is flushed to the disk, and then gets its final name in
/// one step (`link`, which never takes a name that is in use). So no half file is ever seen under a final name, and no
/// file is ever replaced. The folder belongs to one server at a time: ``removeLeftovers()`` takes any hidden name of the
/// kind for a leftover.
public struct LocalDirectoryDestination: UploadDestination {
    /// What people choose it by.
    public let name: String
    private let directory: String

    /// Makes a destination; the folder is made when the first file comes.
    public init(name: String, directory: String) {
        self.name = name
        self.directory = directory
    }

    /// Begins a hidden file.
    public func open(filename: String, size: Int64) async throws -> any UploadSession {
        try FileSystem.makeDirectory(directory)
        let file = try OutputFile.unused { "\(directory)/\(Self.prefix)\($0)\(Self.suffix)" }
        return LocalDirectorySession(
            file: file, directory: directory, destination: name, name: SafeFilename(filename))
    }

    /// Removes hidden files of sessions that a process did not live to end.
    public func removeLeftovers() async throws {
        for entry in try FileSystem.entries(of: directory)
        where entry.hasPrefix(Self.prefix) && entry.hasSuffix(Self.suffix) {
            try FileSystem.remove("\(directory)/\(entry)")
        }
    }

    private static let prefix = ".weir-upload-"
    private static let suffix = ".part"
}
