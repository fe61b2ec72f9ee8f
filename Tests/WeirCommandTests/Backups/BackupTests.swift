import Foundation
import Testing
import WeirAccess
import WeirBoards
import WeirJournals

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct BackupTests {
    private func files(in folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for path in paths where path.hasPrefix("a") || path.hasSuffix(".json") {
            let url = folder.appending(path: path)
            if (try? FileManager.default.attributesOfItem(atPath: url.path))?[.type] as? FileAttributeType
                == .typeRegular,
                !path.contains("sqlite"), path != "quiet.json"
            {
                files[path] = try Data(contentsOf: url)
            }
        }
        return files
    }

    @Test(arguments: [nil, "secret"]) func `a restored backup has every file of the data folder`(name: String?)
        async throws
    {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let key = try name.map(fixture.key)
        try fixture.make(key)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.root.path).filter { $0.contains("unfinished") }
                == [])
        let manifest = try fixture.restore(key)
        #expect(try files(in: fixture.restored) == files(in: fixture.data))
        #expect(try JournalInspection(path: DataFolder(fixture.restored).journal) == manifest.journal)
        let journal = try await SQLiteJournal.open(at: DataFolder(fixture.restored).journal)
        #expect(try await journal.note("greeting") == "hello")
        #expect(journal.isCopy)
        await journal.close()
        #expect(Quiet.read(in: DataFolder(fixture.restored))?.reason == .restored)
        let text = String(decoding: try Data(contentsOf: URL(filePath: fixture.file)), as: UTF8.self)
        #expect(!text.contains("opensesame"))
    }

    @Test func `a verification finds a backup in order, and a journal that is not the one of the manifest`()
        async throws
    {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        try fixture.make()
        let verification = try BackupVerification(fixture.file, key: nil)
        #expect(verification.faults == [])
        #expect(verification.lines.contains("0 users, 0 tokens"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.root.path).filter { $0.contains("trial") } == []
        )
        var manifest = verification.manifest
        manifest.access?.users = 7
        let forged = try BackupWriter(path: fixture.file + "-forged", key: nil, manifest: emptied(manifest))
        try fixture.restore()
        for part in manifest.parts {
            let name = try #require(BackupName(part.name))
            try forged.add(name, file: name.url(in: fixture.restored))
        }
        _ = try forged.finish()
        #expect(
            try BackupVerification(fixture.file + "-forged", key: nil).faults == [
                "The users are not those that the backup says."
            ])
    }

    private func emptied(_ manifest: BackupManifest) -> BackupManifest {
        var manifest = manifest
        manifest.parts = []
        return manifest
    }

    @Test func `a new backup replaces an earlier one only when it is complete`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        try Data("earlier".utf8).write(to: URL(filePath: fixture.file))
        let audit = fixture.data.appending(path: "secrets.json")
        try FileManager.default.removeItem(at: audit)
        try FileManager.default.createDirectory(at: audit, withIntermediateDirectories: false)
        #expect(throws: StartError.self) { try fixture.make() }
        #expect(try Data(contentsOf: URL(filePath: fixture.file)) == Data("earlier".utf8))
        try FileManager.default.removeItem(at: audit)
        try fixture.make()
        #expect(try BackupVerification(fixture.file, key: nil).faults == [])
    }

    @Test func `a backup that fails leaves none of the folders that it has created`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let secrets = fixture.data.appending(path: "secrets.json")
        try FileManager.default.removeItem(at: secrets)
        try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: false)
        let target = fixture.root.appending(path: "new/deep/weir.backup").path
        let maker = BackupMaker(try fixture.settings(), config: nil, key: nil, now: fixture.moment)
        #expect(throws: StartError.self) { try maker.make(target) }
        #expect(!FileManager.default.fileExists(atPath: fixture.root.appending(path: "new").path))
        try FileManager.default.removeItem(at: secrets)
        _ = try maker.make(target)
        #expect(try BackupVerification(target, key: nil).faults == [])
    }

    @Test func `a failure to write gives the reason that its error has, whatever failed in between`() {
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
        let error = NSError(domain: NSCocoaErrorDomain, code: 640, userInfo: [NSUnderlyingErrorKey: cause])
        errno = EACCES
        #expect(NewFile.failure("/x", error).description == "/x cannot be written: there is no space left.")
        #expect(NewFile.failure("/x", StartError.unavailable("Earlier.")).description == "Earlier.")
    }

    @Test func `a folder that is in use, not empty or half restored is left alone`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        try fixture.make()
        let journal = try await SQLiteJournal.open(at: DataFolder(fixture.data).journal)
        func refusal(of folder: URL) -> String? {
            #expect(throws: StartError.self) { try BackupRestore(fixture.file, key: nil, into: folder).restore() }?
                .description
        }
        #expect(refusal(of: fixture.data)?.contains("A server uses") == true)
        await journal.close()
        #expect(refusal(of: fixture.data)?.contains("is not empty") == true)
        #expect(refusal(of: URL(filePath: fixture.file))?.contains("is a file") == true)
        let half = fixture.root.appending(path: "half", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: half, withIntermediateDirectories: false)
        try Data().write(to: half.appending(path: DataFolder.unfinishedMark))
        #expect(refusal(of: half)?.contains("was interrupted") == true)
        #expect(throws: StartError.self) { try DataFolder(half).make() }
    }

    @Test func `an empty folder that exists is restored into, and stays if the backup is refused`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        try fixture.make()
        try FileManager.default.createDirectory(at: fixture.restored, withIntermediateDirectories: false)
        try fixture.restore()
        #expect(FileManager.default.fileExists(atPath: DataFolder(fixture.restored).journal))
        #expect(!DataFolder(fixture.restored).isUnfinished)
    }

    @Test func `without a journal in a file, the backup says what else to back up`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let settings = try fixture.settings([
            "journal": "postgres://weir@127.0.0.1/weir", "upload.destination": "/srv/files",
        ])
        let maker = BackupMaker(settings, config: nil, key: nil, now: fixture.moment)
        let result = try maker.make(fixture.file)
        #expect(result.omitted.count == 2 && result.omitted.contains { $0.contains("pg_dump") })
        #expect(result.manifest.journal == nil && result.manifest.journalPlace == "postgresql")
        #expect(!result.manifest.parts.contains { $0.name.hasPrefix("archive") || $0.name == "journal.sqlite" })
    }
}
