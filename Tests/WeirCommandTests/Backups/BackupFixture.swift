import Foundation
import Testing
import WeirAccess
import WeirJournals

@testable import WeirCommand

/// A data folder with something in each of its files, and a place for its backup.
struct BackupFixture {
    let root = FileManager.default.temporaryDirectory.appending(path: "weir-backup-\(UUID())")
    var data: URL { root.appending(path: "data", directoryHint: .isDirectory) }
    var restored: URL { root.appending(path: "restored", directoryHint: .isDirectory) }
    var file: String { root.appending(path: "weir.backup").path }
    let moment = Timestamp(milliseconds: 1_800_000_000_000)

    /// The name of an uploaded file that is too long for a header of a tar archive.
    static let longName = "archive/" + String(repeating: "é", count: 100) + ".txt"

    init() async throws {
        try DataFolder(data).make()
        let journal = try await SQLiteJournal.open(at: DataFolder(data).journal)
        try await journal.setNote("greeting", "hello")
        await journal.close()
        _ = try SQLiteAccessStorage(path: data.appending(path: "access.sqlite").path)
        try KeptSecrets(DataFolder(data).secrets).set("github", to: "opensesame")
        let audit = try AuditLog(folder: data.appending(path: "audit"))
        audit.record(.start, by: .system)
        await audit.flush()
        for (name, text) in [("archive/a/b.bin", "b"), ("archive/empty", ""), (Self.longName, "long")] {
            let url = data.appending(path: name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
    }

    func settings(_ flags: [String: String] = [:]) throws -> Settings {
        try Settings(flags: ["data": data.path].merging(flags) { $1 }, environment: [:], file: nil)
    }

    func key(_ text: String) throws -> BackupKey {
        let file = root.appending(path: "key-\(text)").path
        try Data((text + "-0123456789abcdef\n").utf8).write(to: URL(filePath: file))
        return try BackupKey(file: file)
    }

    @discardableResult func make(_ key: BackupKey? = nil) throws -> BackupMaker.Result {
        try BackupMaker(settings(), config: root.appending(path: "weir.yml").path, key: key, now: moment).make(file)
    }

    @discardableResult func restore(_ key: BackupKey? = nil) throws -> BackupManifest {
        try BackupRestore(file, key: key, into: restored).restore()
    }

    /// Expects that a backup is refused with a sentence, and that nothing was written.
    func expectRefusal(
        _ key: BackupKey? = nil, saying words: String = "", at location: SourceLocation = #_sourceLocation
    ) throws {
        let error = #expect(throws: StartError.self, sourceLocation: location) { try restore(key) }
        // Foundation's `contains` finds no empty text.
        #expect(
            error.map { words.isEmpty || $0.description.contains(words) } == true, sourceLocation: location)
        #expect(!FileManager.default.fileExists(atPath: restored.path), sourceLocation: location)
    }

    func rewrite(_ change: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: URL(filePath: file))
        change(&bytes)
        try bytes.write(to: URL(filePath: file))
    }

    func remove() { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
}
