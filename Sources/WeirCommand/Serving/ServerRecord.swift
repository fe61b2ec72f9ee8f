import Foundation
import WeirJournals
import WeirStates

/// What a running server writes into its data folder, so that commands find it.
struct ServerRecord: Codable, Sendable, Hashable {
    let process: Int32
    let version: String
    /// The URL on this machine, with a trailing slash.
    let url: String
    let startedAt: Timestamp

    private static let limit = 4_096

    private static func file(_ folder: DataFolder) -> URL { folder.url.appending(path: "server.json") }

    /// The record of the server that uses a folder; nil if none runs.
    static func read(in folder: DataFolder) -> ServerRecord? {
        guard let json = try? JSONValue(parsing: RegularFile.bytes(of: file(folder).path, limit: limit)),
            let record = try? json.decode(ServerRecord.self), record.process > 0
        else { return nil }
        // EPERM: the process belongs to another user.
        return kill(record.process, 0) == 0 || errno == EPERM ? record : nil
    }

    func write(in folder: DataFolder) throws {
        let file = Self.file(folder)
        try Data((JSONValue(encoding: self).text() + "\n").utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    static func remove(in folder: DataFolder) {
        guard read(in: folder)?.process == ProcessInfo.processInfo.processIdentifier else { return }
        // One that stays is recognised by its process, which has ended.
        try? FileManager.default.removeItem(at: file(folder))
    }
}
