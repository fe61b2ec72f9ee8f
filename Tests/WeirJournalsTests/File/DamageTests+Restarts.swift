import Foundation
import Testing
import WeirStates
@testable import WeirJournals

/// How the end of a log may go.
enum LogLoss: CaseIterable {
    /// A machine that stops leaves as much of the log as the disk has; a process leaves all of it.
    case machineStopped, removed, emptied, overwritten

    func apply(to path: String) throws {
        switch self {
        case .machineStopped: return
        case .removed: try FileManager.default.removeItem(atPath: path)
        case .emptied: try Data().write(to: URL(filePath: path))
        case .overwritten:
            try Data(repeating: 7, count: Data(contentsOf: URL(filePath: path)).count).write(to: URL(filePath: path))
        }
    }
}

/// Writes over a file as `cp` does: into the same file.
func overwrite(_ path: String, with bytes: Data) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: bytes)
    try file.close()
}

/// What the next start finds after the machine stopped, or after somebody brought a backup back.
extension DamageTests {
    /// The machine stops without warning; the server was at work, or had been quiet for a while.
    @Test(arguments: [SQLiteJournal.Configuration.Durability.process, .machine], [true, false])
    func `after the machine stopped, a history goes on only where nothing can be gone`(
        durability: SQLiteJournal.Configuration.Durability, isQuiet: Bool
    ) async throws {
        try await TemporaryFolder.with { folder in
            let (epoch, _) = try await folder.kill(.init(durability: durability)) { journal, _ in
                let changes = try await journal.append([.opening("a")])
                if isQuiet { for _ in 0..<2 { try await journal.verify() } }
                return changes
            }
            let journal = try await SQLiteJournal.open(
                at: folder.killed.file("journal.sqlite"), boot: "another", now: { .test(0) })
            let goesOn = durability == .machine || isQuiet
            #expect((journal.epoch == epoch) == goesOn)
            #expect(journal.notices.map(\.kind) == (goesOn ? [] : [.uncertain]))
            #expect(try await journal.run("a") != nil)
            await journal.close()
        }
    }

    /// What is written besides changes: the sequences that were shown say nothing of it.
    @Test(arguments: ["lines", "a note"], LogLoss.allCases)
    func `after a quiet time, what is written besides changes is not lost in silence`(
        what: String, loss: LogLoss
    ) async throws {
        try await TemporaryFolder.with { folder in
            let (epoch, _) = try await folder.kill { journal, _ in
                _ = try await journal.append([.opening("a")])
                for _ in 0..<2 { try await journal.verify() }
                if what == "lines" {
                    _ = try await journal.appendOutput(
                        run: "a", lines: [OutputDraft(at: .test(1), channel: .standardOutput, text: "printed")],
                        after: nil)
                } else {
                    try await journal.setNote("schedule", "paused")
                }
            }
            let path = folder.killed.file("journal.sqlite")
            try loss.apply(to: path + "-wal")
            let journal = try await SQLiteJournal.open(
                at: path, boot: loss == .machineStopped ? "another" : BootSession.id, now: { .test(0) })
            #expect(journal.notices.map(\.kind) == [.uncertain])
            #expect(journal.epoch != epoch)
            await journal.close()
        }
    }

    @Test func `a backup that is copied over the files is another history, though the files are the same`() async throws
    {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let first = try await SQLiteJournal.open(at: path, now: .test(0))
            _ = try await first.append([.opening("a")])
            await first.close()
            let backup = try ["", "-mark"].map { try Data(contentsOf: URL(filePath: path + $0)) }
            let second = try await SQLiteJournal.open(at: path, now: .test(0))
            #expect(second.epoch == first.epoch)
            _ = try await second.append([.step("a", 1)])
            await second.close()
            // As `cp -a` does: into the same files, with the times of the copies.
            for (name, bytes) in zip([path, path + "-mark"], backup) {
                try overwrite(name, with: bytes)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: name)
            }
            let third = try await SQLiteJournal.open(at: path, now: .test(0))
            #expect(third.notices.map(\.kind) == [.unverified])
            #expect(third.epoch != first.epoch)
            await third.close()
        }
    }

    @Test func `a journal that was closed in order goes on after the machine was started anew`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let first = try await SQLiteJournal.open(at: path, boot: "one", now: { .test(0) })
            _ = try await first.append([.opening("a")])
            await first.close()
            let second = try await SQLiteJournal.open(at: path, boot: "two", now: { .test(0) })
            #expect(second.epoch == first.epoch)
            #expect(second.notices.isEmpty)
            await second.close()
        }
    }

    @Test(arguments: [false, true])
    func `an older file that is copied under the log of a killed server is not taken for its history`(
        isDamaged: Bool
    ) async throws {
        try await TemporaryFolder.with { folder in
            var older = Data()
            let (epoch, _) = try await folder.kill { journal, _ in
                _ = try await journal.append([.opening("a")])
                for _ in 0..<2 { try await journal.verify() }
                older = try Data(contentsOf: URL(filePath: folder.file("journal.sqlite")))
                _ = try await journal.append([.step("a", 1)])
                for _ in 0..<2 { try await journal.verify() }
                _ = try await journal.append([.opening("b")])
            }
            let path = folder.killed.file("journal.sqlite")
            if isDamaged {
                // A page that neither the log replaces nor opening reads.
                let page = try ForeignConnection(path: folder.file("journal.sqlite"))
                    .number("SELECT rootpage FROM sqlite_schema WHERE name = 'notes'")
                let start = Int(page - 1) * 4_096
                older.replaceSubrange(start..<start + 4_096, with: Data(repeating: 0xA5, count: 4_096))
            }
            let log = try Data(contentsOf: URL(filePath: path + "-wal"))
            try overwrite(path, with: older)
            let journal = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect(journal.notices.map(\.kind) == (isDamaged ? [.unverified, .damaged] : [.unverified]))
            #expect(journal.epoch != epoch)
            #expect(try await journal.head() == (isDamaged ? 0 : 3))
            let kept = try #require(journal.notices.first?.file)
            #expect(try Data(contentsOf: URL(filePath: folder.killed.file(kept))) == log)
            await journal.close()
        }
    }

    @Test func `a process that ends while it opens the file leaves nothing behind that looks like damage`() async throws
    {
        try await TemporaryFolder.with { folder in
            let (epoch, _) = try await folder.kill { journal, _ in try await journal.append([.opening("a")]) }
            let path = folder.killed.file("journal.sqlite")
            for _ in 0..<2 {
                JournalFile(path: path, configuration: .init(), boot: BootSession.id).copyLog()
                #expect(try folder.killed.names.contains("journal.sqlite-wal-copy"))
            }
            let journal = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect((journal.epoch, journal.notices) == (epoch, []))
            let companions = try folder.killed.names.filter { $0.contains("copy") || $0.contains("damaged") }
            #expect(companions == [])
            await journal.close()
        }
    }

    @Test func `after a look with another program, which took the log into the file, the history goes on`() async throws
    {
        try await TemporaryFolder.with { folder in
            let (epoch, shown) = try await folder.kill { journal, _ in
                try await journal.append([.opening("a"), .step("a", 1)])
            }
            let path = folder.killed.file("journal.sqlite")
            do { #expect(try ForeignConnection(path: path).number("SELECT count(*) FROM changes") == 2) }
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            let journal = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect(journal.notices == [])
            #expect(journal.epoch == epoch)
            #expect(try await journal.tail(9) == shown)
            await journal.close()
        }
    }

    @Test func `a file that lacks what was recorded last is not exported as if it were all`() async throws {
        try await TemporaryFolder.with { folder in
            _ = try await folder.kill { journal, _ in try await journal.append([.opening("a")]) }
            let path = folder.killed.file("journal.sqlite")
            func look() async throws -> SequenceNumber {
                let reader = try await SQLiteJournal.open(
                    at: path, configuration: .init(access: .reading), now: .test(1))
                let head = try await reader.head()
                await reader.close()
                return head
            }
            #expect(try await look() == 1)
            try overwrite(path + "-wal", with: Data())
            let error = await #expect(throws: JournalError.self) { try await look() }
            #expect(error?.description.contains("Start the server once") == true)
        }
    }

    @Test(arguments: ["", "not a list", "{}"])
    func `notices that can be read no more are set aside, and that is told`(text: String) async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            try Data(text.utf8).write(to: URL(filePath: path + "-notices"))
            let journal = try await SQLiteJournal.open(at: path, now: .test(1_234))
            let aside = "journal.sqlite-notices.damaged-20261121T000001234Z"
            #expect(journal.notices == [JournalNotice(.forgotten, at: .test(1_234), file: aside)])
            #expect(try Data(contentsOf: URL(filePath: folder.file(aside))) == Data(text.utf8))
            await journal.close()
            #expect(SQLiteJournal.notices(at: path).map(\.kind) == [.forgotten])
        }
    }

    @Test(arguments: [SQLiteJournal.Configuration.Access.reading, .writing])
    func `one change that cannot be read does not cost the others, whoever came upon it`(
        access: SQLiteJournal.Configuration.Access
    ) async throws {
        try await TemporaryFolder.with { folder in
            let (path, epoch) = try await folder.unreadableJournal()
            let second = try await SQLiteJournal.open(at: path, configuration: .init(access: access), now: .test(1))
            await #expect(throws: JournalError.self) { try await second.tail(9) }
            if access == .reading { second.markUnusable() }
            await second.close()
            let third = try await SQLiteJournal.open(at: path, now: .test(2))
            #expect(third.notices == [])
            #expect(third.epoch == epoch)
            #expect(try await third.run("b") != nil)
            await third.close()
        }
    }

    @Test func `a file on which no server can start is set aside by the next start`() async throws {
        try await TemporaryFolder.with { folder in
            let (path, _) = try await folder.unreadableJournal()
            let second = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect(second.notices == [])
            await #expect(throws: JournalError.self) { try await second.tail(9) }
            second.markUnusable()
            await second.close()
            let third = try await SQLiteJournal.open(at: path, now: .test(2))
            #expect(third.notices.map(\.kind) == [.damaged])
            #expect(try await third.head() == 0)
            await third.close()
        }
    }

    @Test func `a backup that is restored where no server could start is not set aside for that`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let first = try await SQLiteJournal.open(at: path, now: .test(0))
            _ = try await first.append([.opening("a")])
            await first.close()
            let backup = try Data(contentsOf: URL(filePath: path))
            let second = try await SQLiteJournal.open(at: path, now: .test(1))
            _ = try await second.append([.step("a", 1)])
            second.markUnusable()
            await second.close()
            try overwrite(path, with: backup)
            let third = try await SQLiteJournal.open(at: path, now: .test(2))
            #expect(!third.notices.map(\.kind).contains(.damaged))
            #expect(try await third.run("a") != nil)
            await third.close()
            #expect(!FileManager.default.fileExists(atPath: path + "-damaged"))
        }
    }

    @Test func `a file that was shortened while a server started is checked, and not set aside if it is whole`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let first = try await SQLiteJournal.open(at: path, now: .test(0))
            _ = try await first.append([.opening("a")])
            for _ in 0..<2 { try await first.verify() }
            _ = try await first.append([.step("a", 1)])
            try overwrite(path + "-wal", with: Data())
            await #expect(throws: JournalError.self) { try await first.append([.opening("b")]) }
            first.markUnusable()
            await first.close()
            let second = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect(second.notices.map(\.kind) == [.lost])
            #expect(try await second.run("a") != nil)
            await second.close()
        }
    }
}
