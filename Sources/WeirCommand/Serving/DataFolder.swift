import Foundation
import WeirJournals

/// The folder in which a server stores its data, for its owner only.
struct DataFolder: Sendable {
    let url: URL

    /// The configured folder.
    init(_ settings: Settings) {
        url = URL(filePath: settings.text("data") ?? "weir-data", directoryHint: .isDirectory)
    }

    /// A folder at a URL.
    init(_ url: URL) { self.url = url }

    /// The path of the journal's file.
    var journal: String { url.appending(path: "journal.sqlite").path }

    /// The file of secrets that triggers and notifications name.
    var secrets: URL { url.appending(path: "secrets.json") }

    /// The file with a summary of the settings in force.
    var settings: URL { url.appending(path: "settings.json") }

    /// The path of the file of messages that were sent and received.
    var deliveries: String { url.appending(path: "deliveries.sqlite").path }

    /// Where uploaded files are stored while they are received.
    var spool: URL { url.appending(path: "spool") }

    /// Where files lie that runs of programs were given, until these are over.
    var received: URL { url.appending(path: "received") }

    /// Removes the files of runs that an earlier process was carrying out.
    func removeReceived() throws {
        guard FileManager.default.fileExists(atPath: received.path) else { return }
        try FileManager.default.removeItem(at: received)
    }

    /// The id of the server whose folder this is, among all that share its journal; made once.
    ///
    /// Throws `JournalError` if it cannot be kept.
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

    /// Creates the folder and the spool if necessary, and closes them, and the files in the folder, to other users.
    ///
    /// - Returns: The names of what was open to others before, in order.
    /// - Throws: `StartError` if the folder cannot be created.
    @discardableResult
    func make() throws(StartError) -> [String] {
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

    /// Removes the permissions of other users from a file or folder; returns whether there were any that could be
    /// removed.
    private func close(_ name: String) -> Bool {
        let path = name.isEmpty ? url.path : url.appending(path: name).path
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType != .typeSymbolicLink,
                let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0
            else { return false }
            // Changed now, as a whole: a journal's mark is not taken for one that was copied over it.
            try FileManager.default.setAttributes(
                [.posixPermissions: mode & 0o700, .modificationDate: Date()], ofItemAtPath: path)
            return true
        } catch {
            return false  // Another user's, whose business it is.
        }
    }
}
