import Foundation
import Testing
import WeirStates
@testable import WeirJournals

/// What somebody does to a journal's files while a server has them open.
enum Misplacement: String, CaseIterable, CustomTestStringConvertible {
    case folderRemoved, folderMoved, fileRemoved, logRemoved, allRemoved, fileReplaced, markRemoved, lockRemoved

    var testDescription: String { rawValue }

    /// Whether the journal's own files have to be put back.
    var isOfJournal: Bool { self != .markRemoved && self != .lockRemoved }

    func apply(to folder: TemporaryFolder) throws {
        let manager = FileManager.default
        let path = folder.file("journal.sqlite")
        switch self {
        case .folderRemoved: try manager.removeItem(at: folder.url)
        case .folderMoved: try manager.moveItem(atPath: folder.url.path, toPath: folder.url.path + "-moved")
        case .fileRemoved: try manager.removeItem(atPath: path)
        case .logRemoved: try manager.removeItem(atPath: path + "-wal")
        case .allRemoved: for name in try folder.names { try manager.removeItem(atPath: folder.file(name)) }
        case .fileReplaced:
            try manager.removeItem(atPath: path)
            try Data("somebody else's".utf8).write(to: URL(filePath: path))
        case .markRemoved: try manager.removeItem(atPath: path + "-mark")
        case .lockRemoved: try manager.removeItem(atPath: path + "-lock")
        }
    }
}

@Suite(.timeLimit(.minutes(15))) struct MisplacedFilesTests {
    /// When it is noticed: at the next append, by the look that is taken when nothing happens, or at the end.
    enum Occasion: CaseIterable { case append, verification, closing }

    // K11
    @Test(arguments: Misplacement.allCases, Occasion.allCases)
    func `files that are taken away from a running journal are put back with all they held`(
        misplacement: Misplacement, occasion: Occasion
    ) async throws {
        try await TemporaryFolder.with { outer in
            let folder = TemporaryFolder(url: outer.url.appendingPathComponent("data"))
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(at: path, now: .test(3))
            var shown = try await journal.append([
                .opening("a"), .step("a", 1, phase: .succeeded, payload: ["m": "word"]),
            ])
            #expect(try await journal.run("a") != nil)
            try misplacement.apply(to: folder)
            switch occasion {
            case .append: shown += try await journal.append([.opening("b")])
            case .verification: try await journal.verify()
            case .closing: break
            }
            if occasion != .closing {
                #expect(try await journal.tail(9) == shown)
                #expect(try await journal.runs(RunQuery(text: "word")).runs.map(\.id) == ["a"])
                shown += try await journal.append([.opening("c")])
                // A second server finds a lock, or it would write over this one.
                let second = try await code { try await SQLiteJournal.open(at: path, now: .test(4)) }
                #expect(second == .locked)
            }
            await journal.close()

            let again = try await SQLiteJournal.open(at: path, now: .test(5))
            #expect(again.epoch == journal.epoch)
            #expect(try await again.tail(9) == shown)
            #expect(shown.map(\.sequence) == (1...shown.count).map { SequenceNumber(clamping: $0) })
            #expect(again.notices.map(\.kind) == (misplacement.isOfJournal ? [.restored] : []))
            if misplacement == .fileReplaced {
                let aside = try #require(again.notices.first?.file)
                #expect(try Data(contentsOf: URL(filePath: folder.file(aside))) == Data("somebody else's".utf8))
            }
            #expect(try folder.names.allSatisfy { !$0.hasSuffix("-copy") })
            await again.close()
        }
    }

    // K11
    @Test(arguments: ["", "-wal"])
    func `a file that is cut short while it is in use is told at once, and what is shown is not recorded over`(
        suffix: String
    ) async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(at: path, now: .test(0))
            _ = try await journal.append([.opening("a")])
            let file = try FileHandle(forWritingTo: URL(filePath: path + suffix))
            try file.truncate(atOffset: 0)
            try file.close()
            for _ in 0..<2 {
                #expect(try await code { try await journal.append([.opening("b")]) } == .corrupt)
                #expect(try await code { try await journal.verify() } == .corrupt)
            }
            await journal.close()
            let again = try await SQLiteJournal.open(at: path, now: .test(0))
            #expect(again.epoch != journal.epoch)
            #expect(again.notices.count == 1)
            await again.close()
        }
    }

    @Test func `another server that has taken the place of a moved folder is left alone`() async throws {
        try await TemporaryFolder.with { outer in
            let folder = TemporaryFolder(url: outer.url.appendingPathComponent("data"))
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
            let first = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            _ = try await first.append([.opening("a")])
            try Misplacement.folderMoved.apply(to: folder)
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
            let second = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            let shown = try await second.append([.opening("b")])
            #expect(try await code { try await first.append([.opening("c")]) } == .locked)
            #expect(try await code { try await first.verify() } == .locked)
            await first.close()
            #expect(try await second.append([.step("b", 1)]).map(\.sequence) == [2])
            await second.close()
            let again = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            #expect(try await again.tail(9).first == shown.first)
            #expect(again.notices.isEmpty)
            await again.close()
        }
    }

    // K11
    @Test(arguments: [true, false])
    func `files that were moved away are another history than those that took their place`(isFolder: Bool) async throws
    {
        try await TemporaryFolder.with { outer in
            let folder = TemporaryFolder(url: outer.url.appendingPathComponent("data"))
            let moved = TemporaryFolder(url: outer.url.appendingPathComponent("moved"))
            let manager = FileManager.default
            try manager.createDirectory(at: folder.url, withIntermediateDirectories: false)
            let journal = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            _ = try await journal.append([.opening("a")])
            if isFolder {
                try manager.moveItem(at: folder.url, to: moved.url)
                try await journal.verify()
            } else {
                try manager.createDirectory(at: moved.url, withIntermediateDirectories: false)
                for suffixes in [["-mark"], ["", "-wal", "-shm"]] {
                    for name in suffixes.map({ "journal.sqlite" + $0 }) {
                        try manager.moveItem(atPath: folder.file(name), toPath: moved.file(name))
                    }
                    try await journal.verify()
                }
            }
            _ = try await journal.append([.opening("b")])
            let other = try await SQLiteJournal.open(at: moved.file("journal.sqlite"), now: .test(1))
            #expect(other.epoch != journal.epoch)
            #expect(other.notices.last?.kind == .unverified)
            #expect(try await other.run("a") != nil)
            await other.close()
            await journal.close()
        }
    }

    @Test
    func `a backup that is copied over the files in use is told at once, and is another history at the next start`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(at: path, now: .test(0))
            _ = try await journal.append([.opening("a")])
            for _ in 0..<2 { try await journal.verify() }
            let backup = try Data(contentsOf: URL(filePath: path))
            _ = try await journal.append([.step("a", 1)])
            for (suffix, bytes) in [("", backup), ("-wal", Data())] { try overwrite(path + suffix, with: bytes) }
            let error = await #expect(throws: JournalError.self) { try await journal.append([.opening("c")]) }
            #expect(error?.code == .corrupt)
            await journal.close()
            let again = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect(again.epoch != journal.epoch)
            #expect(again.notices.count == 1)
            await again.close()
        }
    }

    @Test func `what another program does to the journal through SQLite is not taken for damage`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(at: path, now: .test(0))
            for number in 0..<3 {
                _ = try await journal.append([.opening("r\(number)")])
                let other = try ForeignConnection(path: path)
                try other.execute("CREATE TABLE IF NOT EXISTS theirs (x); INSERT INTO theirs VALUES (1)")
                _ = try other.number("PRAGMA wal_checkpoint(PASSIVE)")
            }
            #expect(try await journal.append([.opening("last")]).map(\.sequence) == [4])
            await journal.close()
        }
    }

    @Test func `SQLite may make the files shorter, also when another program asks it to`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(at: path, now: .test(0))
            let other = try ForeignConnection(path: path)
            func size(_ suffix: String = "") -> Int64 { OpenFile.status(of: path + suffix)?.size ?? 0 }
            func empty() throws { #expect(try other.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0) }
            _ = try await journal.append([.opening("a")])
            try other.execute("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (zeroblob(1000000))")
            try empty()
            _ = try await journal.append([.opening("b")])
            let (full, log) = (size(), size("-wal"))
            try empty()
            #expect(size("-wal") < log)
            _ = try await journal.append([.opening("c")])
            try other.execute("DROP TABLE theirs; VACUUM")
            try empty()
            #expect(size() < full)
            #expect(try await journal.append([.opening("d")]).map(\.sequence) == [4])
            await journal.close()
            let again = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect((again.epoch, again.notices) == (journal.epoch, []))
            await again.close()
        }
    }

    @Test func `a journal that is a link is watched where its file is`() async throws {
        try await TemporaryFolder.with { folder in
            let (link, path) = (folder.file("journal.sqlite"), folder.file("elsewhere.sqlite"))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "elsewhere.sqlite")
            let journal = try await SQLiteJournal.open(at: link, now: .test(0))
            _ = try await journal.append([.opening("a")])
            try FileManager.default.removeItem(atPath: path + "-wal")
            _ = try await journal.append([.opening("b")])
            #expect(journal.notices.map(\.kind) == [.restored])
            #expect(!FileManager.default.fileExists(atPath: link + "-wal"))
            await journal.close()
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "elsewhere.sqlite")
        }
    }

    @Test func `giving space back is not taken for damage`() async throws {
        try await TemporaryFolder.with { folder in
            let journal = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            let text = JSONValue.string(String(repeating: "z", count: 4_000))
            for round in 0..<3 {
                for number in 0..<200 {
                    let run = "r\(round)-\(number)"
                    _ = try await journal.append([
                        .opening(run), .step(run, 1, phase: .succeeded, payload: ["t": text]),
                    ])
                }
                _ = try await journal.prune(
                    RetentionPolicy(maximumAge: 0, maximumRunsPerOperation: nil), now: .test(10))
                for _ in 0..<3 { try await journal.verify() }
            }
            #expect(journal.notices.isEmpty)
            await journal.close()
        }
    }

    // K11
    @Test func `files that are taken away while many append and read lose nothing`() async throws {
        try await TemporaryFolder.with { outer in
            let folder = TemporaryFolder(url: outer.url.appendingPathComponent("data"))
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
            let journal = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for run in 0..<6 {
                    group.addTask {
                        _ = try await journal.append([.opening("r\(run)")])
                        for revision in 1..<40 {
                            _ = try await journal.append([.step("r\(run)", Int64(revision))])
                            #expect(try await journal.run("r\(run)")?.revision == Int64(revision))
                        }
                    }
                }
                for number in 0..<3 {
                    try await journal.verify()
                    try FileManager.default.moveItem(atPath: folder.url.path, toPath: folder.url.path + "-\(number)")
                }
                try await group.waitForAll()
            }
            #expect(try await journal.tail(999).map(\.sequence) == (1...240).map { SequenceNumber(clamping: $0) })
            await journal.close()
        }
    }
}
