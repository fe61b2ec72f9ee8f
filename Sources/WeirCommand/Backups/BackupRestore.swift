import Foundation
import WeirBoards
import WeirJournals
import WeirStates

/// Restores a backup into an empty folder.
struct BackupRestore {
    private let reader: BackupReader
    private let target: URL

    init(_ file: String, key: BackupKey?, into target: URL) {
        reader = BackupReader(path: file, key: key)
        self.target = target.absoluteURL.standardizedFileURL
    }

    /// Checks the whole backup, then writes it, and returns its manifest; blocks on the disk.
    ///
    /// The folder has a mark while it is not complete, with which no server starts. Throws `StartError`; nothing was written
    /// if the backup is at fault, and nothing is left behind in any case.
    func restore() throws -> BackupManifest {
        try checkTarget()
        let manifest = try reader.check()
        try checkSpace(for: manifest)
        let created = try NewFile.folder(target)
        do {
            try write(manifest)
            return manifest
        } catch {
            clear()
            NewFile.removeEmpty(created)
            throw error
        }
    }

    /// Removes the written files, and the mark last, so that no server starts on files that cannot be removed.
    private func clear() {
        let mark = DataFolder.unfinishedMark
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: target.path) where name != mark {
                try FileManager.default.removeItem(at: target.appending(path: name))
            }
            try FileManager.default.removeItem(at: target.appending(path: mark))
        } catch {
            // The error that the restore failed with is the one to report.
            _ = error
        }
    }

    private func write(_ manifest: BackupManifest) throws {
        let mark = target.appending(path: DataFolder.unfinishedMark)
        try NewFile.create(mark.path).close()
        NewFile.synchronizeFolder(target.path)
        var sink = FolderSink(folder: target)
        // Read a second time, because the file can have been replaced since the check.
        guard try reader.read(into: &sink) == manifest else { throw BackupReader.damaged }
        try Quiet(reason: .restored, since: manifest.created).write(in: DataFolder(target))
        try FileManager.default.removeItem(at: mark)
        for folder in sink.folders.union([target.path]) { NewFile.synchronizeFolder(folder) }
    }

    /// Throws unless the folder is missing or empty.
    private func checkTarget() throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder) else { return }
        guard isFolder.boolValue else {
            throw StartError.misconfigured("\(target.path) is a file. Name a new or an empty folder with --data.")
        }
        let folder = DataFolder(target)
        if SQLiteSnapshot.isJournalInUse(folder.journal) {
            throw StartError.unavailable(
                "A server uses \(target.path). Restore into a new folder, or stop the server first.")
        }
        if folder.isUnfinished {
            throw StartError.unavailable(
                "A restore into \(target.path) was interrupted. Remove the folder, and repeat the restore.")
        }
        guard try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty else {
            throw StartError.unavailable(
                "\(target.path) is not empty. Name a new or an empty folder with --data, or move this one away first.")
        }
    }

    private func checkSpace(for manifest: BackupManifest) throws {
        let needed = manifest.parts.reduce(Int64.zero) { $0.addingReportingOverflow($1.bytes).partialValue }
        var existing = target
        while !FileManager.default.fileExists(atPath: existing.path), existing.pathComponents.count > 1 {
            existing.deleteLastPathComponent()
        }
        let free = try FileManager.default.attributesOfFileSystem(forPath: existing.path)[.systemFreeSize] as? NSNumber
        guard let free = free?.int64Value, needed > free else { return }
        throw StartError.unavailable(
            "The backup needs \(ByteCount(clamping: needed)) in \(target.path), where \(ByteCount(clamping: free)) are free. "
                + "Choose another disk.")
    }
}

/// Writes the parts of a backup to files of a folder.
private struct FolderSink: BackupSink {
    let folder: URL
    private(set) var folders: Set<String> = []
    private var path = ""
    private var handle: FileHandle?

    init(folder: URL) { self.folder = folder }

    mutating func begin(_ name: BackupName) throws {
        let file = name.url(in: folder)
        var parent = file.deletingLastPathComponent()
        if !folders.contains(parent.path) { try NewFile.folder(parent) }
        while parent.path.count > folder.path.count, folders.insert(parent.path).inserted {
            parent.deleteLastPathComponent()
        }
        path = file.path
        handle = try NewFile.create(path)
    }

    mutating func take(_ bytes: [UInt8]) throws {
        do { try handle?.write(contentsOf: bytes) } catch { throw NewFile.failure(path, error) }
    }

    mutating func end() throws {
        do {
            try handle?.synchronize()
            try handle?.close()
        } catch { throw NewFile.failure(path, error) }
        handle = nil
    }
}
