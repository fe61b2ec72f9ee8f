package import Foundation
import WeirFlows

/// A destination of uploads that receives a file in parts and publishes it completely or not at all.
package protocol UploadDestination: Sendable {
    /// The name that users choose, such as `archive`.
    var name: String { get }

    /// Opens a session for a file of the given size, under a name that is already safe.
    ///
    /// If it throws, `CancellationError` included, it leaves no files.
    func open(filename: String, size: Int64) async throws -> any UploadSession

    /// Removes files of sessions that ended with their process; called before the first upload.
    func removeLeftovers() async throws
}

/// An upload of one file, until `close` or `abort`.
package protocol UploadSession: Sendable {
    /// Receives the next part, counted from 1; called sequentially.
    func part(_ number: Int, _ bytes: Data) async throws

    /// Completes the file under a unique name and returns its location as a phrase for users.
    ///
    /// On return, the file survives a crash.
    func close() async throws -> String

    /// Removes everything the session created, even if called from a cancelled task.
    func abort() async
}

/// A local folder as a destination of uploads.
///
/// A file is written under a hidden name in the same folder, flushed to disk, and then given its final name with `link`, which
/// never replaces a file. No partial file ever has a final name. Only one server may use the folder: ``removeLeftovers()``
/// deletes every hidden file of this kind.
package struct LocalDirectoryDestination: UploadDestination {
    package let name: String
    private let directory: String

    /// Creates a destination; the folder is created with the first file.
    package init(name: String, directory: String) {
        self.name = name
        self.directory = directory
    }

    package func open(filename: String, size: Int64) async throws -> any UploadSession {
        try FileSystem.makeDirectory(directory)
        let file = try OutputFile.unused { "\(directory)/\(Self.prefix)\($0)\(Self.suffix)" }
        return LocalDirectorySession(
            file: file, directory: directory, destination: name, name: SafeFilename(filename))
    }

    package func removeLeftovers() async throws {
        for entry in try FileSystem.entries(of: directory)
        where entry.hasPrefix(Self.prefix) && entry.hasSuffix(Self.suffix) {
            try FileSystem.remove("\(directory)/\(entry)")
        }
    }

    private static let prefix = ".weir-upload-"
    private static let suffix = ".part"
}

/// A hidden file in a folder until it receives its final name.
final class LocalDirectorySession: UploadSession {
    private let file: OutputFile
    private let directory: String
    private let destination: String
    private let name: SafeFilename
    private let parts = Locked(0)
    private let final = Locked<String?>(nil)

    init(file: OutputFile, directory: String, destination: String, name: SafeFilename) {
        self.file = file
        self.directory = directory
        self.destination = destination
        self.name = name
    }

    func part(_ number: Int, _ bytes: Data) async throws {
        let isNext = parts.withLock { parts in
            parts += 1
            return parts == number
        }
        guard isNext else { throw FileUploadFailure.refused(reason: "The parts arrived in the wrong order. Retry.") }
        try file.write(bytes)
    }

    func close() async throws -> String {
        try file.flushToDisk()
        file.close()
        // Unlike `rename`, `link` never replaces an existing file.
        for number in 1...10_000 {
            let candidate = name.numbered(number)
            guard try FileSystem.giveName(directory + "/" + candidate, to: file.path) else { continue }
            final.withLock { $0 = directory + "/" + candidate }
            try FileSystem.remove(file.path)
            try FileSystem.flushDirectory(directory)
            return destination + "/" + candidate
        }
        throw FileUploadFailure.refused(
            reason: "There are already 10,000 files with this name. Give the file another name.")
    }

    func abort() async {
        file.close()
        file.removeQuietly()
        if let final = final.withLock({ $0 }) { FileSystem.removeQuietly(final) }
    }
}
