import Foundation
import Journals
import States
import Testing

@testable import JournalsSQLite

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
    @Test(arguments: ["lines", "a note"], [true, false])
    func `after a quiet time, what is written besides changes is not lost in silence`(
        what: String, isMachineStopped: Bool
    ) async throws {
        try await TemporaryFolder.with { folder in
            let (epoch, _) = try await folder.kill { journal, _ in
                _ = try await journal.append([.opening("a")])
                for _ in 0..<2 { try await journal.verify() }
                if what == "lines" {
                    _ = try await journal.appendOutput(
                        run: "a", lines: [OutputDraft(at: .test(1), channel: .standardOutput, text: "printed")])
                } else {
                    try await journal.setNote("schedule", "paused")
                }
            }
            let path = folder.killed.file("journal.sqlite")
            // A machine that stops leaves as much of the log as the disk has; a process leaves all of it.
            if !isMachineStopped { try FileManager.default.removeItem(atPath: path + "-wal") }
            let journal = try await SQLiteJournal.open(
                at: path, boot: isMachineStopped ? "another" : BootSession.id, now: { .test(0) })
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
                let file = try FileHandle(forWritingTo: URL(filePath: name))
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: bytes)
                try file.close()
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
}
