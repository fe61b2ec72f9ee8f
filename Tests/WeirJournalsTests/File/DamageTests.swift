import Foundation
import Testing
import TestSupport
import WeirStates
@testable import WeirJournals

/// What somebody does to a journal's files while nobody has them open, after the process was killed.
enum Manipulation: String, CaseIterable, CustomTestStringConvertible {
    case emptied, removed, logRemoved, logEmptied, logOverwritten, markRemoved, markCutShort, exchanged, rolledBack,
        copied

    var testDescription: String { rawValue }

    /// What an operator is told of it.
    var kind: JournalNotice.Kind {
        switch self {
        case .emptied, .removed: .missing
        case .logRemoved, .logEmptied, .logOverwritten, .rolledBack: .lost
        case .markRemoved, .markCutShort, .exchanged, .copied: .unverified
        }
    }

    /// The ending of the file that may say more, of which a copy is kept.
    var leaves: String? {
        switch self {
        case .emptied, .removed, .logOverwritten: "-wal"
        case .logRemoved, .logEmptied, .rolledBack, .markRemoved, .markCutShort, .exchanged, .copied: nil
        }
    }

    func apply(to folder: TemporaryFolder) async throws {
        let manager = FileManager.default
        let path = folder.file("journal.sqlite")
        switch self {
        case .emptied: try Data().write(to: URL(filePath: path))
        case .removed: try manager.removeItem(atPath: path)
        case .logRemoved:
            try manager.removeItem(atPath: path + "-wal")
        case .logEmptied: try Data().write(to: URL(filePath: path + "-wal"))
        case .logOverwritten:
            var generator = SeededGenerator(seed: 7)
            let size = try Data(contentsOf: URL(filePath: path + "-wal")).count
            let noise = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) })
            try noise.write(to: URL(filePath: path + "-wal"))
        case .markRemoved: try manager.removeItem(atPath: path + "-mark")
        case .markCutShort: try Data("weir".utf8).write(to: URL(filePath: path + "-mark"))
        case .exchanged:
            let other = try await SQLiteJournal.open(at: folder.file("other.sqlite"), now: .test(0))
            _ = try await other.append((0..<9).map { .opening("other\($0)") })
            await other.close()
            try manager.removeItem(atPath: path + "-wal")
            try manager.removeItem(atPath: path)
            try manager.copyItem(atPath: folder.file("other.sqlite"), toPath: path)
        case .rolledBack:
            try manager.removeItem(atPath: path + "-wal")
            try manager.removeItem(atPath: path)
            try manager.copyItem(atPath: folder.file("journal.sqlite.before"), toPath: path)
        case .copied:
            try manager.copyItem(atPath: path, toPath: path + ".copy")
            try manager.removeItem(atPath: path)
            try manager.moveItem(atPath: path + ".copy", toPath: path)
        }
    }
}

@Suite(.timeLimit(.minutes(15))) struct DamageTests {
    // K11
    @Test(arguments: Manipulation.allCases)
    func `whatever is done to the files of a killed server, it is told and no sequence is used twice`(
        manipulation: Manipulation
    ) async throws {
        try await TemporaryFolder.with { folder in
            let (epoch, shown) = try await folder.kill { journal, killed in
                _ = try await journal.append([.opening("a"), .step("a", 1)])
                try FileManager.default.copyItem(
                    atPath: folder.file("journal.sqlite"), toPath: killed.file("journal.sqlite.before"))
                return try await journal.append([.step("a", 2), .store("login", 0)])
            }
            let killed = folder.killed
            try await manipulation.apply(to: killed)
            let left = try manipulation.leaves.map {
                try Data(contentsOf: URL(filePath: killed.file("journal.sqlite" + $0)))
            }
            let journal = try await SQLiteJournal.open(at: killed.file("journal.sqlite"), now: .test(5))
            let notice = try #require(journal.notices.first)
            #expect(journal.notices.count == 1)
            #expect(notice.kind == manipulation.kind)
            #expect(notice.at == .test(5))
            #expect(journal.epoch != epoch)
            let kept = try notice.file.map { try Data(contentsOf: URL(filePath: killed.file($0))) }
            #expect(kept == left)
            let head = try await journal.head()
            if notice.kind == .lost { #expect(notice.lost == head.next...(shown.last?.sequence ?? 0)) }
            let next = try await journal.append([.opening("b")])
            #expect(next.map(\.sequence) == [head.next])
            await journal.close()

            // The new history is as good as any: it goes on without another word.
            let again = try await SQLiteJournal.open(at: killed.file("journal.sqlite"), now: .test(6))
            #expect(again.epoch == journal.epoch)
            #expect(again.notices == [notice])
            await again.close()
        }
    }

    @Test func `what is left of a file that vanished is set aside with its date`() async throws {
        try await TemporaryFolder.with { folder in
            _ = try await folder.kill { journal, _ in try await journal.append([.opening("a")]) }
            let path = folder.killed.file("journal.sqlite")
            let log = try Data(contentsOf: URL(filePath: path + "-wal"))
            try FileManager.default.removeItem(atPath: path)
            let journal = try await SQLiteJournal.open(at: path, now: .test(1_234))
            let aside = "journal.sqlite.damaged-20261121T000001234Z-wal"
            #expect(journal.notices == [JournalNotice(.missing, at: .test(1_234), file: aside)])
            #expect(try Data(contentsOf: URL(filePath: folder.killed.file(aside))) == log)
            await journal.close()
        }
    }

    // K11
    @Test func `a killed server goes on with its history where nobody touched the files`() async throws {
        try await TemporaryFolder.with { folder in
            let (epoch, shown) = try await folder.kill { journal, _ in
                try await journal.append([.opening("a"), .step("a", 1)])
            }
            let journal = try await SQLiteJournal.open(at: folder.killed.file("journal.sqlite"), now: .test(0))
            #expect(journal.epoch == epoch)
            #expect(journal.notices.isEmpty)
            #expect(try await journal.tail(9) == shown)
            await journal.close()
        }
    }

    @Test func `the file by itself says from the first moment what it is and of which history`() async throws {
        try await TemporaryFolder.with { folder in
            let journal = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            try FileManager.default.copyItem(
                atPath: folder.file("journal.sqlite"), toPath: folder.file("copy.sqlite"))
            let copy = try await SQLiteJournal.open(at: folder.file("copy.sqlite"), now: .test(1))
            #expect(copy.notices.map(\.kind) == [.unverified])
            #expect(copy.epoch != journal.epoch)
            await copy.close()
            await journal.close()
        }
    }

    @Test func `a quiet server's file by itself has everything`() async throws {
        try await TemporaryFolder.with { folder in
            let journal = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            let shown = try await journal.append([.opening("a"), .step("a", 1)])
            for _ in 0..<2 { try await journal.verify() }
            try FileManager.default.copyItem(
                atPath: folder.file("journal.sqlite"), toPath: folder.file("copy.sqlite"))
            let copy = try await SQLiteJournal.open(at: folder.file("copy.sqlite"), now: .test(1))
            #expect(try await copy.tail(9) == shown)
            await copy.close()
            await journal.close()
        }
    }

    @Test(arguments: zip([SQLiteJournal.Configuration.Durability.process, .machine], [Int64(1), 2]))
    func `each durability is what SQLite is told to do`(
        durability: SQLiteJournal.Configuration.Durability, level: Int64
    ) async throws {
        try await TemporaryFolder.with { folder in
            let journal = try await SQLiteJournal.open(
                at: folder.file("journal.sqlite"), configuration: .init(durability: durability), now: .test(0))
            // 1 waits for the disk when the log is brought into the file, 2 at each append too, 0 never.
            let told = try await journal.write { try SQLStatement($0, "PRAGMA synchronous").first { $0.integer(0) } }
            #expect(told == level)
            await journal.close()
        }
    }

    @Test func `the machine's boot has a name, the same each time`() {
        #expect(!BootSession.id.isEmpty)
        #expect(BootSession.id == BootSession.id)
    }

    @Test func `files are for their owner only`() async throws {
        try await TemporaryFolder.with { folder in
            let journal = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            _ = try await journal.append([.opening("a")])
            let names = try folder.names
            #expect(names.count >= 5)
            for name in names {
                let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions]
                #expect((mode as? NSNumber)?.intValue == 0o600, "\(name)")
            }
            await journal.close()
        }
    }

    @Test func `an error has the path and SQLite's code for the log, and neither in its words`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(
                at: path, configuration: .init(busyTimeout: 1), now: .test(0))
            let other = try ForeignConnection(path: path)
            try other.execute("BEGIN IMMEDIATE")
            let error = await #expect(throws: JournalError.self) { try await journal.append([.opening("a")]) }
            #expect(error?.cause.map { "\($0)" } == "\(path): SQLite error 5 (database is locked)")
            #expect(error?.description.contains("journal.sqlite") == false)
            try other.execute("ROLLBACK")
            await journal.close()
        }
    }

    @Test func `a notice is kept until it is dismissed`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            try Data("no database at all".utf8).write(to: URL(filePath: path))
            for _ in 0..<2 {
                let journal = try await SQLiteJournal.open(at: path, now: .test(0))
                #expect(journal.notices.map(\.kind) == [.damaged])
                #expect(SQLiteJournal.notices(at: path) == journal.notices)
                await journal.close()
            }
            let journal = try await SQLiteJournal.open(at: path, now: .test(0))
            let id = try #require(journal.notices.first?.id)
            #expect(try await journal.dismissNotice("another") == false)
            #expect(try await journal.dismissNotice(id))
            #expect(try await journal.dismissNotice(id) == false)
            #expect(journal.notices.isEmpty)
            await journal.close()
            #expect(SQLiteJournal.notices(at: path).isEmpty)
        }
    }

    @Test func `every notice reads back from its text`() {
        for kind in JournalNotice.Kind.allCases {
            for notice in [
                JournalNotice(kind, at: .test(7)), JournalNotice(kind, at: .test(7), file: "f", lost: 3...9),
            ] {
                #expect(JournalNotice(json: notice.json) == notice)
            }
        }
        #expect(JournalNotice(json: ["kind": "of tomorrow", "at": "2026-11-21T00:00:00.000Z"]) == nil)
        #expect(JournalNotice(json: ["kind": "lost", "at": "2026-11-21T00:00:00.000Z", "lost": [9, 3]])?.lost == nil)
    }
}
