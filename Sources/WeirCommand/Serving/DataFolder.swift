import Foundation
import WeirBoards
import WeirJournals

struct DataFolder: Sendable {
    let url: URL

    init(_ settings: Settings) {
        url = URL(filePath: settings.text("data") ?? "weir-data", directoryHint: .isDirectory)
    }

    init(_ url: URL) { self.url = url }

    var journal: String { url.appending(path: "journal.sqlite").path }

    var access: String { url.appending(path: "access.sqlite").path }

    var secrets: URL { url.appending(path: "secrets.json") }

    var settings: URL { url.appending(path: "settings.json") }

    var deliveries: String { url.appending(path: "deliveries.sqlite").path }

    /// The name of a file that is present while a restore into the folder is not complete.
    static let unfinishedMark = "unfinished-restore"

    var isUnfinished: Bool {
        FileManager.default.fileExists(atPath: url.appending(path: Self.unfinishedMark).path)
    }

    var spool: URL { url.appending(path: "spool") }

    /// The folder of files that active runs of programs have received.
    var received: URL { url.appending(path: "received") }

    /// The store of files that runs keep.
    func artifacts(_ settings: Settings) -> ArtifactStore {
        var limits = ArtifactStore.Limits()
        limits.bytes = settings.bytes("artifacts.maximum-size") ?? limits.bytes
        limits.keepFree = settings.bytes("disk.keep-free") ?? limits.keepFree
        limits.count = settings.integer("artifacts.maximum-count") ?? limits.count
        let folder = url.appending(path: "artifacts")
        guard case .database = JournalPlace(settings) else { return ArtifactStore(folder, limits: limits) }
        // The folder of a server that starts for the first time does not exist yet.
        return ArtifactStore(folder, limits: limits) { [self] in try? JournalPlace.name(of: nodeID()) }
    }

    func removeReceived() throws {
        guard FileManager.default.fileExists(atPath: received.path) else { return }
        try FileManager.default.removeItem(at: received)
    }

    /// The id of the server among those that share its journal, created on first use.
    func nodeID() throws(JournalError) -> String {
        let file = url.appending(path: "node")
        do {
            if let known = FileManager.default.contents(atPath: file.path) {
                let id = String(decoding: known, as: UTF8.self).filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
                if (8...64).contains(id.count) { return id }
            }
            let id = JournalEpoch.make()
            try Data((id + "\n").utf8).write(to: file, options: .atomic)
            return id
        } catch {
            throw JournalError(
                .unavailable, "The file \(file.path) cannot be written, which names this server to others.")
        }
    }

    /// Creates the folder and the spool if necessary, and removes other users' permissions from the folder and its files.
    ///
    /// - Returns: The sorted names of the items whose permissions were changed.
    /// - Throws: `StartError` if the folder cannot be created.
    @discardableResult
    func make() throws(StartError) -> [String] {
        guard !isUnfinished else {
            throw .unavailable(
                "A restore into \(url.path) was interrupted. Remove the folder, and repeat weir restore.")
        }
        let manager = FileManager.default
        let own: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        do {
            try manager.createDirectory(at: url, withIntermediateDirectories: true, attributes: own)
            try manager.createDirectory(at: spool, withIntermediateDirectories: true, attributes: own)
            let names = try manager.contentsOfDirectory(atPath: url.path).sorted()
            return ([""] + names).filter(close).map { $0.isEmpty ? "." : $0 }
        } catch {
            throw .unavailable("The data folder \(url.path) cannot be created or read; choose another with --data.")
        }
    }

    /// Removes other users' permissions from a file or folder; returns whether any were removed.
    private func close(_ name: String) -> Bool {
        let path = name.isEmpty ? url.path : url.appending(path: name).path
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType != .typeSymbolicLink,
                let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0
            else { return false }
            // The modification date changes too, so that the journal's marker is not mistaken for one copied over it.
            try FileManager.default.setAttributes(
                [.posixPermissions: mode & 0o700, .modificationDate: Date()], ofItemAtPath: path)
            return true
        } catch {
            return false  // The file belongs to another user.
        }
    }
}
