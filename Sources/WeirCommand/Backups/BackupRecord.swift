import Foundation
import WeirJournals
import WeirStates

/// What is known of the last backup of a data folder, kept in it.
struct BackupRecord: Codable, Sendable, Hashable {
    /// When the last complete backup was made, its size, and whether a trial restore succeeded; nil if none is known.
    var made: Timestamp?
    var bytes: Int64?
    var isVerified: Bool?
    /// What went wrong after that.
    var problem: String?

    private static let limit = 65_536

    private static func file(_ folder: DataFolder) -> URL { folder.url.appending(path: "last-backup.json") }

    /// The record, or an empty one.
    static func read(in folder: DataFolder) -> BackupRecord {
        let json = try? JSONValue(parsing: RegularFile.bytes(of: file(folder).path, limit: limit))
        return (try? json?.decode(BackupRecord.self)) ?? BackupRecord()
    }

    /// Writes the record; a failure only leaves the earlier one on the pages.
    func keep(in folder: DataFolder) {
        do {
            let file = Self.file(folder)
            try Data((JSONValue(encoding: self).text() + "\n").utf8).write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        } catch { _ = error }
    }
}
