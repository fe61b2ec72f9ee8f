package import Foundation
package import WeirFlows
package import WeirStates
import WeirTelemetry

/// The folder with the files that runs of this server keep: `RUN/INDEX/FILENAME`.
///
/// Paths depend on nothing but the run's id, the index and a plain form of the name, so that no name leads out of the
/// folder. The methods block.
package struct ArtifactStore: Sendable {
    package struct Limits: Sendable, Hashable {
        /// The maximum size of all files of a run together.
        package var bytes: ByteCount
        /// The maximum number of files of a run.
        package var count: Int
        /// The space that is kept free on the disk.
        package var keepFree = ByteCount(clamping: 1)

        package init(bytes: ByteCount = ByteCount(clamping: 1_000_000_000), count: Int = 100) {
            self.bytes = bytes
            self.count = min(max(count, 1), ArtifactStore.maximumCount)
        }
    }

    /// The largest possible limit of the number of files.
    package static let maximumCount = 1_000

    private let folder: URL
    package let limits: Limits
    /// Reads the name of this server, if several can share the journal.
    package let server: @Sendable () -> String?

    package init(
        _ folder: URL, limits: Limits = Limits(), server: @escaping @Sendable () -> String? = { nil }
    ) {
        self.server = server
        self.folder = folder.absoluteURL.standardizedFileURL
        self.limits = limits
    }

    /// The path of a file of a run, or nil if the run's id is no file name.
    package func path(of index: Int, named name: String, run: String) -> String? {
        self.folder(of: run)?.appending(path: "\(index)").appending(path: Self.plain(name)).path
    }

    /// Opens a file for reading; nil if it is not in this folder.
    package func open(_ index: Int, named name: String, run: String) -> FileHandle? {
        guard let path = path(of: index, named: name, run: run) else { return nil }
        let descriptor = openDescriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return handle
    }

    /// Creates a new file, for its owner only, and returns it opened for writing.
    package func create(_ index: Int, named name: String, run: String) throws -> FileHandle {
        guard let path = path(of: index, named: name, run: run) else { throw CocoaError(.fileWriteInvalidFileName) }
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let descriptor = createDescriptor(path)
        guard descriptor >= 0 else {
            throw CocoaError(errno == ENOSPC || errno == EDQUOT ? .fileWriteOutOfSpace : .fileWriteUnknown)
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Whether the disk has space for a piece of a file, with the space that is kept free.
    package func hasSpace(for bytes: Int64) -> Bool {
        ProcessUsage.freeBytes(at: folder.path).map { $0 >= Double(limits.keepFree.bytes) + Double(bytes) } ?? true
    }

    package func remove(_ index: Int, named name: String, run: String) {
        guard let path = path(of: index, named: name, run: run) else { return }
        removeQuietly(URL(filePath: path).deletingLastPathComponent())
    }

    func removeAll(of run: String) { folder(of: run).map(removeQuietly) }

    /// The runs that have a folder.
    func runs() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter(Self.isID)
    }

    private func folder(of run: String) -> URL? {
        Self.isID(run) ? folder.appending(path: run, directoryHint: .isDirectory) : nil
    }

    private func removeQuietly(_ url: URL) {
        // What remains is removed with the run.
        try? FileManager.default.removeItem(at: url)
    }

    private static func isID(_ run: String) -> Bool {
        (1...64).contains(run.utf8.count)
            && run.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    /// The last component of a name, with underscores for everything but ASCII letters, digits, dots and hyphens.
    private static func plain(_ name: String) -> String {
        let last = name.utf8.split(separator: UInt8(ascii: "/")).last ?? name.utf8[...]
        let text = String(
            String.UnicodeScalarView(
                last.suffix(100).map { byte in
                    let scalar = Unicode.Scalar(byte)
                    let isPlain = scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
                    return isPlain || ".-_+".unicodeScalars.contains(scalar) ? scalar : "_"
                }))
        let visible = text.drop { $0 == "." }
        return visible.isEmpty ? "file" : String(visible)
    }
}

extension WorkPool {
    /// Copying and reading of kept files, which can be on slow disks.
    package static let artifacts = WorkPool(niceness: 10)
}

/// The system's `open`, which the method of that name shadows.
private func openDescriptor(_ path: String, _ flags: CInt) -> CInt { open(path, flags) }

private func createDescriptor(_ path: String) -> CInt {
    open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
}
