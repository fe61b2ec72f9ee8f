import Foundation
import Synchronization
import Testing
@testable import WeirJournals
import WeirStates

/// What an import does to the journal while it goes on, and when it does not come to its end.
@Suite(.timeLimit(.minutes(15))) struct ImportTests {
    /// The lines of an export of so many runs, each with three changes and, if it prints, two lines of output.
    private func export(_ count: Int, operation: String = "upload", prints: Bool = true) async throws -> [String] {
        let source = MemoryJournal(retention: RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: nil))
        for number in 0..<count {
            let id = "\(operation)\(number)"
            _ = try await source.append([
                .opening(id, operation: operation, at: Int64(number)),
                .step(id, 1, operation: operation, at: Int64(number)),
            ])
            let words = prints ? ["first", "second"] : []
            _ = try await source.appendOutput(
                run: id, lines: words.map { OutputDraft(at: .test(0), text: $0) }, after: nil)
            guard number != 7 else { continue }
            _ = try await source.append([.step(id, 2, operation: operation, at: Int64(number), phase: .succeeded)])
        }
        var lines: [String] = []
        _ = try await JournalExport(of: source, created: .test(0)).runs(RunQuery()) { lines.append($0) }
        return lines
    }

    private func opening(
        _ lines: [String], failingAfter limit: Int = .max, of opening: Int = 2
    ) -> JournalImport.Opening {
        let openings = Mutex(0)
        return {
            let isFailing = openings.withLock { count in
                count += 1
                return count == opening
            }
            let rest = Mutex((given: 0, lines: lines[...]))
            return {
                try rest.withLock { rest in
                    rest.given += 1
                    if isFailing, rest.given > limit { throw CocoaError(.fileReadUnknown) }
                    return rest.lines.popFirst()
                }
            }
        }
    }

    private func ids(_ journal: any Journal) async throws -> Set<String> {
        Set(try await journal.runs(RunQuery(limit: 10_000)).runs.map(\.id))
    }

    // K1
    @Test(arguments: JournalKind.allCases)
    func `a file is taken in by short steps, between which others append`(kind: JournalKind) async throws {
        let lines = try await export(400)
        try await kind.withJournal { journal in
            let heads = Mutex([try await journal.head()])
            let report = try await JournalImport(into: journal, at: .test(0)) { step in
                try await step()
                let head = try await journal.head()
                let number = heads.withLock { heads in
                    heads.append(head)
                    return heads.count
                }
                // Somebody else's change, which gets the next place.
                let changes = try await journal.append([.opening("mine\(number)", operation: "mine")])
                #expect(changes.map(\.sequence) == [head.next])
            }.lines(opening(lines))
            #expect(report.imported.count == 400 && report.changes == 1_199 && report.lines == 800)
            #expect(report.unfinished == ["upload7"])
            let steps = heads.withLock { heads in zip(heads, heads.dropFirst()).map { $0.distance(to: $1) } }
            #expect(steps.count > 10 && steps.allSatisfy { $0 <= 205 }, "\(steps)")
            #expect(try await journal.unfinishedRuns().allSatisfy { $0.operation == "mine" })
            #expect(try await journal.run("upload7")?.state.phase == .interrupted)
            #expect(try await journal.run("upload7")?.revision == 2)
            #expect(try await journal.output(of: "upload7", after: 0, limit: 9).map(\.text) == ["first", "second"])
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `a file that was imported before is known run by run, also one that the import itself has ended`(
        kind: JournalKind
    ) async throws {
        let lines = try await export(10, prints: false)
        try await kind.withJournal { journal in
            let first = try await JournalImport(into: journal, at: .test(0)).lines(opening(lines))
            #expect(first.imported.count == 10 && first.unfinished == ["upload7"])
            let head = try await journal.head()
            let again = try await JournalImport(into: journal, at: .test(1)).lines(opening(lines))
            #expect(again.imported == [])
            #expect(again.skipped.sorted() == (0..<10).map { "upload\($0)" })
            #expect(try await journal.head() == head)
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `an import that breaks off leaves nothing behind, and the file can be imported again`(
        kind: JournalKind
    ) async throws {
        let lines = try await export(300)
        try await kind.withJournal { journal in
            _ = try await journal.append([.opening("mine"), .step("mine", 1, phase: .succeeded)])
            await #expect(throws: CocoaError.self) {
                _ = try await JournalImport(into: journal, at: .test(0)).lines(opening(lines, failingAfter: 1_000))
            }
            #expect(try await ids(journal) == ["mine"])
            #expect(try await journal.counts().map(\.count) == [1])
            let head = try await journal.head()
            #expect(head > 2)
            #expect(try await journal.floor(of: .board) > 2)
            #expect(try await journal.changes(of: .board, after: 0, through: nil, limit: 9).count == 2)
            #expect(try await journal.outputCount(of: "upload0") == 0)
            let report = try await JournalImport(into: journal, at: .test(0)).lines(opening(lines))
            #expect(report.imported.count == 300 && report.skipped.isEmpty)
            #expect(try await journal.run("upload0")?.openedSequence == head.next)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `an import whose task is cancelled leaves nothing behind`(kind: JournalKind) async throws {
        let lines = try await export(300)
        try await kind.withJournal { journal in
            let task = Task {
                try await JournalImport(into: journal, at: .test(0)) { step in
                    try await step()
                    if try await journal.head() > 300 { withUnsafeCurrentTask { $0?.cancel() } }
                }.lines(opening(lines))
            }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            let left = try await ids(journal)
            #expect(left.isEmpty)
            #expect(try await journal.head() > 300)
        }
    }

    // K3, K4
    @Test func `an import that the end of the process cut short is taken back at the next opening`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let first = try await SQLiteJournal.open(at: path, now: .test(0))
            _ = try await first.append([.opening("mine"), .step("mine", 1, phase: .succeeded)])
            let origin = ChangeOrigin(epoch: "elsewhere0001", sequence: 1)
            for number in 0..<250 {
                try await first.addImported(
                    [
                        .change(.opening("there\(number)"), origin: origin),
                        .line(run: "there\(number)", OutputDraft(at: .test(0), text: "x")),
                        .change(.step("there\(number)", 1, phase: .failed), origin: origin),
                    ], at: .test(0))
            }
            let head = try await first.head()
            await first.close()
            let second = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect(try await ids(second) == ["mine"])
            #expect(try await second.counts().map(\.count) == [1])
            #expect(second.undoneRuns == 250)
            // Whoever has read all of it stands before the floor, too.
            let floor = try await second.head()
            #expect(floor > head)
            #expect(try await second.floor(of: .board) == floor)
            #expect(try await second.floor(of: .operation("upload")) == floor)
            #expect(try await second.tail(9).map(\.sequence) == [1, 2])
            #expect(try await second.rollBackImport() == 0)
            // One that came to its end stays.
            try await second.addImported([.change(.opening("whole"), origin: origin)], at: .test(0))
            try await second.commitImport()
            #expect(try await second.tail(1).map(\.sequence) == [floor.next])
            await second.close()
            let third = try await SQLiteJournal.open(at: path, now: .test(2))
            #expect(try await ids(third) == ["mine", "whole"])
            #expect(third.undoneRuns == 0 && third.epoch == first.epoch)
            await third.close()
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `retention leaves the runs of an import alone until it is over`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let origin = ChangeOrigin(epoch: "elsewhere0001", sequence: 1)
            for id in ["a", "b", "c"] {
                try await journal.addImported(
                    [.change(.opening(id), origin: origin), .change(.step(id, 1, phase: .failed), origin: origin)],
                    at: .test(0))
            }
            let policy = RetentionPolicy(maximumAge: 10, maximumRunsPerOperation: 1)
            #expect(try await journal.prune(policy, now: .test(100)) == 0)
            try await journal.commitImport()
            #expect(try await journal.prune(policy, now: .test(5)) == 2)
            #expect(try await journal.prune(policy, now: .test(100)) == 1)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `what does not follow is refused, and nothing of that step comes in`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let origin = ChangeOrigin(epoch: "elsewhere0001", sequence: 1)
            let line = OutputDraft(at: .test(0), text: "x")
            for entries: [ImportedEntry] in [
                [.change(.opening("a"), origin: origin), .change(.step("a", 2), origin: origin)],
                [.change(.opening("a"), origin: origin), .line(run: "b", line)], [.change(.step("a", 1), origin: nil)],
            ] {
                #expect(try await code { try await journal.addImported(entries, at: .test(0)) } == .outOfOrder)
                let head = try await journal.head()
                #expect(head == 0)
                #expect(try await journal.run("a") == nil)
            }
        }
    }

    // L2
    @Test(arguments: JournalKind.allCases)
    func `a run is found by the words of its last lines, however late they come in`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let origin = ChangeOrigin(epoch: "elsewhere0001", sequence: 1)
            try await journal.addImported(
                [.change(.opening("a"), origin: origin), .change(.step("a", 1, phase: .failed), origin: origin)],
                at: .test(0))
            #expect(try await journal.runs(RunQuery(text: "late")).runs.isEmpty)
            try await journal.addImported([.line(run: "a", OutputDraft(at: .test(0), text: "late"))], at: .test(0))
            try await journal.commitImport()
            #expect(try await journal.runs(RunQuery(text: "late")).runs.map(\.id) == ["a"])
            #expect(try await journal.runs(RunQuery(text: "failed")).runs.isEmpty)
        }
    }

    @Test func `a line that is too long is refused with its number, before it is read wholly`() async throws {
        try await TemporaryFolder.with { folder in
            var lines = try await export(2)
            lines[2] = String(repeating: "x", count: 3_000_000)
            let path = folder.file("runs.jsonl")
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
            let journal = MemoryJournal()
            let limit = try #require(ByteCount("1 MB"))
            do {
                _ = try await JournalImport(into: journal, at: .test(0)).lines {
                    let reader = try LineReader(path: path, limit: limit)
                    return { try reader.next() }
                }
                Issue.record("it was imported")
            } catch let error as JournalError {
                #expect(error.code == .malformed)
                #expect(
                    error.description.hasPrefix("Line 3: It is longer than the limit of 1 MB for a line;"), "\(error)")
            }
            #expect(await journal.head() == 0)
            // A line of just that length is taken, one byte more is not; at the end of the file too.
            for (count, isTaken) in [(1_000, true), (1_001, false)] {
                for end in ["", "\n"] {
                    try Data((String(repeating: "y", count: count) + end).utf8).write(to: URL(fileURLWithPath: path))
                    let reader = try LineReader(path: path, limit: ByteCount(clamping: 1_000))
                    if isTaken {
                        #expect(try reader.next()?.count == count)
                    } else {
                        #expect(throws: JournalError.self) { try reader.next() }
                    }
                }
            }
        }
    }

    @Test func `numbers of bytes are read as people write them`() {
        let good: [(String, Int64)] = [
            ("512 MB", 512_000_000), ("2 GiB", 2 << 30), ("4096", 4_096), ("4096 B", 4_096), ("1kb", 1_000),
            ("8MiB", 8 << 20), ("0", 0), ("1 TB", 1_000_000_000_000),
        ]
        for (text, bytes) in good { #expect(ByteCount(text)?.bytes == bytes, "\(text)") }
        for text in ["", "MB", "-1", "1.5 GB", "1 XB", "99999999999 TB", "9223372036854775808", "1 MB x", " 1"] {
            #expect(ByteCount(text) == nil, "\(text)")
        }
        #expect(ByteCount(clamping: -1).bytes == 0)
        #expect(ByteCount(clamping: Int64.max).bytes == 1 << 60)
        for text in ["256 MB", "8 MiB", "10 GB", "1 kB", "999 bytes"] where text != "999 bytes" {
            #expect(ByteCount(text)?.description == text)
        }
        #expect(ByteCount(clamping: 999).description == "999 bytes")
    }
}
