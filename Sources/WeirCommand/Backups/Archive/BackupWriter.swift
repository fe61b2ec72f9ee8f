import Crypto
import Foundation
import WeirJournals
import WeirStates

/// Writes the parts of a backup: a gzip-compressed tar archive, encrypted if there is a key.
///
/// Not thread-safe. Errors are `StartError`s.
final class BackupWriter {
    private let handle: FileHandle
    private let path: String
    private let coder: GzipCoder
    private var sealing: SealedPieces?
    private var manifest: BackupManifest
    /// The compressed bytes that do not yet fill an encrypted piece.
    private var piece: [UInt8] = []

    /// Creates the file, which must not exist, with access for its owner only.
    init(path: String, key: BackupKey?, manifest: BackupManifest) throws {
        self.path = path
        self.manifest = manifest
        coder = try GzipCoder(.compress)
        sealing = try key.map { try SealedPieces(sealing: $0) }
        handle = try NewFile.create(path)
        if let sealing { try put(sealing.header) }
    }

    /// Adds a file as it is now.
    func add(_ name: BackupName, file: URL) throws {
        let source: FileHandle
        do {
            source = try RegularFile.open(file.path)
        } catch {
            throw StartError.unavailable("\(file.path) cannot be read. Run this as the server's user.")
        }
        let size = Int64(clamping: try source.seekToEnd())
        try source.seek(toOffset: 0)
        var left = size
        try add(name, size: size) {
            let bytes = try source.read(upToCount: Int(clamping: min(left, 262_144))) ?? Data()
            guard left == 0 || !bytes.isEmpty else {
                throw StartError.unavailable("\(file.path) was changed while it was read. Repeat the backup.")
            }
            left -= Int64(bytes.count)
            return Array(bytes)
        }
    }

    func add(_ name: BackupName, bytes: [UInt8]) throws {
        var left = bytes
        try add(name, size: Int64(bytes.count)) {
            defer { left = [] }
            return left
        }
    }

    private func add(_ name: BackupName, size: Int64, read: () throws -> [UInt8]) throws {
        var hash = SHA256()
        try write(name.text, size: size) {
            let bytes = try read()
            hash.update(data: bytes)
            return bytes
        }
        manifest.parts.append(
            .init(name: name.text, bytes: size, sha256: Hex(hash.finalize()).text))
    }

    private func write(_ name: String, size: Int64, read: () throws -> [UInt8]) throws {
        try compress(TarHeader(name: name, size: size, time: manifest.created.milliseconds / 1_000).blocks)
        var left = size
        while left > 0 {
            let bytes = try read()
            left -= Int64(bytes.count)
            try compress(bytes)
        }
        try compress(TarHeader.padding(after: size))
    }

    /// Adds the manifest, waits until everything is on the disk, and returns the manifest and the size of the file.
    func finish() throws -> (BackupManifest, bytes: Int64) {
        let json = Array(try JSONValue(encoding: manifest).text().utf8)
        guard json.count <= BackupManifest.largest else {
            throw StartError.unavailable(
                "There are too many files for a backup. Back up the uploaded files by other means.")
        }
        var left = json
        try write(BackupManifest.name, size: Int64(json.count)) {
            defer { left = [] }
            return left
        }
        try compress([UInt8](repeating: 0, count: 2 * TarHeader.blockBytes), isLast: true)
        if var sealing {
            try put(sealing.seal(piece, isLast: true))
            self.sealing = sealing
        }
        do {
            try handle.synchronize()
            let size = try handle.offset()
            try handle.close()
            return (manifest, Int64(clamping: size))
        } catch {
            throw NewFile.failure(path, error)
        }
    }

    private func compress(_ bytes: [UInt8], isLast: Bool = false) throws {
        try coder.take(bytes, isLast: isLast) { bytes in
            guard sealing != nil else { return try put(bytes) }
            piece += bytes
            // The last piece is sealed as such, so a full one waits for another.
            while piece.count > SealedPieces.pieceBytes {
                let full = Array(piece.prefix(SealedPieces.pieceBytes))
                piece.removeFirst(SealedPieces.pieceBytes)
                if let sealed = try sealing?.seal(full, isLast: false) { try put(sealed) }
            }
        }
    }

    private func put(_ bytes: [UInt8]) throws {
        do { try handle.write(contentsOf: bytes) } catch { throw NewFile.failure(path, error) }
    }
}

/// Creates files and folders for their owner only.
enum NewFile {
    /// Opens a new file for writing; throws `StartError` if there is one at the path.
    static func create(_ path: String) throws(StartError) -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Creates a folder and its missing parents, all or none, and returns those that it has created, innermost first.
    @discardableResult static func folder(_ url: URL) throws(StartError) -> [URL] {
        let missing = Array(
            sequence(first: url.absoluteURL.standardizedFileURL) { folder in
                folder.pathComponents.count > 1 ? folder.deletingLastPathComponent() : nil
            }.prefix { !FileManager.default.fileExists(atPath: $0.path) })
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            return missing
        } catch {
            removeEmpty(missing)
            throw failure(url.path, error)
        }
    }

    /// Removes folders, innermost first, up to the first one that has contents.
    static func removeEmpty(_ folders: [URL]) {
        for folder in folders { rmdir(folder.path) }
    }

    /// Renames a file, and waits until that is on the disk.
    static func move(_ path: String, to target: String) throws(StartError) {
        guard rename(path, target) == 0 else { throw failure(target, errno) }
        synchronizeFolder(URL(fileURLWithPath: target).deletingLastPathComponent().path)
    }

    /// Waits until the names in a folder are on the disk; not every file system supports that.
    static func synchronizeFolder(_ path: String) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Describes an error of the system for a path.
    static func failure(_ path: String, _ code: Int32?) -> StartError {
        let reason =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: "there is no space left"
            case EEXIST: "there is a file already"
            case ENOENT, ENOTDIR: "there is no such folder"
            case let code?: String(cString: strerror(code))
            case nil: "the system names no reason"
            }
        return .unavailable("\(path) cannot be written: \(reason).")
    }

    /// Describes an error of Foundation, which has the system's error within it; `errno` can be another one's by now.
    static func failure(_ path: String, _ error: any Error) -> StartError {
        if let error = error as? StartError { return error }
        return failure(path, code(of: error))
    }

    private static func code(of error: any Error) -> Int32? {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(exactly: error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error).flatMap(code)
    }
}
