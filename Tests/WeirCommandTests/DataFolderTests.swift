import Foundation
import Testing
@testable import WeirJournals

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct DataFolderTests {
    private func withFolder(_ body: (DataFolder) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
        try body(DataFolder(url))
    }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test func `a data folder and its spool are for their owner only`() throws {
        try withFolder { folder throws in
            #expect(try folder.make() == [])
            #expect(try mode(folder.url.path) == 0o700)
            #expect(try mode(folder.spool.path) == 0o700)
        }
    }

    @Test func `what was open to others is closed to them and named, once`() throws {
        try withFolder { folder in
            try folder.make()
            try Data().write(to: URL(filePath: folder.journal))
            for (path, mode) in [(folder.url.path, 0o755), (folder.journal, 0o644), (folder.spool.path, 0o770)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
            #expect(try folder.make() == [".", "journal.sqlite", "spool"])
            #expect(try mode(folder.journal) == 0o600)
            #expect(try mode(folder.spool.path) == 0o700)
            #expect(try folder.make() == [])
        }
    }

    @Test func `a server is known again by its data folder, and by nothing that a file's end added`() throws {
        try withFolder { folder in
            try folder.make()
            let id = try folder.nodeID()
            #expect((8...64).contains(id.count) && id.allSatisfy { $0.isLetter || $0.isNumber })
            #expect(try folder.nodeID() == id)
            try Data("short".utf8).write(to: folder.url.appending(path: "node"))
            #expect(try folder.nodeID() != "short")
        }
    }

    @Test func `a server is called after its machine, by no more than its name`() throws {
        var system = utsname()
        #expect(uname(&system) == 0)
        let name = withUnsafeBytes(of: &system.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        #expect(!name.isEmpty && JournalPlace.machine == name)
    }

    @Test func `a server waits for another one that is just ending to release the journal`() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
        let folder = DataFolder(url)
        try folder.make()
        let ending = try await SQLiteJournal.open(at: folder.journal)
        async let opened = JournalPlace.file.open(in: folder, .init())
        await ending.close()
        try await opened.close()
    }

    @Test(arguments: zip(["process", "machine"], [SQLiteJournal.Configuration.Durability.process, .machine]))
    func `what a change outlives is a setting`(
        word: String, durability: SQLiteJournal.Configuration.Durability
    ) throws {
        let settings = try Settings(flags: [:], environment: ["WEIR_JOURNAL_DURABILITY": word], file: nil)
        #expect(settings.journal.durability == durability)
        #expect(try Settings(flags: [:], environment: [:], file: nil).journal.durability == .process)
        #expect(throws: SettingsError.self) {
            try Settings(flags: [:], environment: ["WEIR_JOURNAL_DURABILITY": "forever"], file: nil)
        }
    }
}
