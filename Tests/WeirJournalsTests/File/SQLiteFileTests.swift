import Foundation
import Testing
@testable import WeirJournals
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct SQLiteFileTests {
    func withJournal(
        _ folder: TemporaryFolder, _ configuration: SQLiteJournal.Configuration = .init(), now: Int64 = 0,
        _ body: (SQLiteJournal) async throws -> Void
    ) async throws {
        let journal = try await SQLiteJournal.open(
            at: folder.file("journal.sqlite"), configuration: configuration, now: .test(now))
        let result: Result<Void, any Error>
        do { result = .success(try await body(journal)) } catch { result = .failure(error) }
        await journal.close()
        try result.get()
    }

    // K3
    @Test func `a journal that is opened again has its epoch, its changes and its place`() async throws {
        try await TemporaryFolder.with { folder in
            let first = try await SQLiteJournal.open(
                at: folder.file("journal.sqlite"), now: .test(0), makeEpoch: { "0123456789abc" })
            let changes = try await first.append([.opening("a"), .store("login", 0)])
            await first.close()
            try await withJournal(folder) { journal in
                let tail = try await journal.tail(9)
                #expect(tail == changes)
                #expect(journal.epoch == "0123456789abc")
                #expect(journal.notices.isEmpty)
                #expect(try await journal.append([.step("a", 1), .store("login", 1)]).map(\.sequence) == [3, 4])
            }
        }
    }

    @Test func `a journal that was closed is one file, whole by itself`() async throws {
        try await TemporaryFolder.with { folder in
            try await withJournal(folder) { journal in
                _ = try await journal.append([.opening("a")])
                // A reader stays open beside the writer, as in any server.
                #expect(try await journal.run("a") != nil)
            }
            let copy = folder.file("copy.sqlite")
            try FileManager.default.copyItem(atPath: folder.file("journal.sqlite"), toPath: copy)
            let journal = try await SQLiteJournal.open(at: copy, now: .test(1))
            #expect(try await journal.run("a") != nil)
            await journal.close()
        }
    }

    // K7
    @Test func `a second writer is refused in words, and a reader is let in`() async throws {
        try await TemporaryFolder.with { folder in
            try await withJournal(folder) { journal in
                _ = try await journal.append([.opening("a")])
                let refusal = try await code { try await withJournal(folder) { _ in } }
                #expect(refusal == .locked)
                try await withJournal(folder, .init(access: .reading)) { reader in
                    #expect(reader.epoch == journal.epoch)
                    #expect(try await reader.run("a") != nil)
                    _ = try await journal.append([.step("a", 1, phase: .succeeded, payload: ["m": "found"])])
                    #expect(try await reader.runs(RunQuery(text: "found")).runs.map(\.id) == ["a"])
                    #expect(try await code { try await reader.append([.opening("b")]) } == .readOnly)
                }
            }
            try await withJournal(folder) { journal in
                let head = try await journal.head()
                #expect(head == 2)
            }
        }
    }

    // K7
    @Test func `a full disk is told, loses nothing, and recording goes on when there is space`() async throws {
        try await TemporaryFolder.with { folder in
            let payload: JSONValue = ["text": .string(String(repeating: "x", count: 4_000))]
            var recorded: Int64 = 0
            try await withJournal(folder, .init(maximumBytes: 600_000)) { journal in
                _ = try await journal.append([.opening("a")])
                var refusal: JournalError.Code?
                for revision in Int64(1)...1_000 where refusal == nil {
                    refusal = try await code { try await journal.append([.step("a", revision, payload: payload)]) }
                    if refusal == nil { recorded = revision }
                }
                #expect(refusal == .full)
                #expect(recorded > 10)
                #expect(try await journal.run("a")?.revision == recorded)
                #expect(try await code { try await journal.append([.opening("b", input: payload)]) } == .full)
            }
            try await withJournal(folder) { journal in
                #expect(try await journal.run("a")?.revision == recorded)
                _ = try await journal.append([.step("a", recorded + 1, payload: payload)])
            }
        }
    }

    @Test func `runs are found by their words on a full disk, too, and a search writes only what waits`() async throws {
        try await TemporaryFolder.with { folder in
            let payload: JSONValue = ["text": .string(String(repeating: "x", count: 4_000))]
            try await withJournal(folder, .init(maximumBytes: 600_000)) { journal in
                let text = (0..<1_000).map { "word\($0)" }.joined(separator: " ")
                _ = try await journal.append([
                    .opening("a", input: ["of": .string(text)]), .step("a", 1, phase: .succeeded), .opening("b"),
                ])
                var refusal: JournalError.Code?
                for revision in Int64(1)...1_000 where refusal == nil {
                    refusal = try await code { try await journal.append([.step("b", revision, payload: payload)]) }
                }
                #expect(refusal == .full)
                #expect(try await journal.runs(RunQuery(text: "word7")).runs.map(\.id) == ["a"])
            }
            try await withJournal(folder) { journal in
                for _ in 0..<3 {
                    let found = try await journal.runs(RunQuery(text: "word7")).runs.map(\.id)
                    #expect(found == ["a"])
                }
                #expect(journal.accesses.writes == 1)
            }
        }
    }

    // K7
    @Test func `a lock that another program holds is told, and passes`() async throws {
        try await TemporaryFolder.with { folder in
            try await withJournal(folder, .init(busyTimeout: 10)) { journal in
                _ = try await journal.append([.opening("a")])
                let other = try ForeignConnection(path: folder.file("journal.sqlite"))
                try other.execute("BEGIN IMMEDIATE")
                #expect(try await code { try await journal.append([.step("a", 1)]) } == .locked)
                #expect(try await journal.run("a")?.revision == 0)
                try other.execute("ROLLBACK")
                #expect(try await journal.append([.step("a", 1)]).map(\.sequence) == [2])
            }
        }
    }

    // N2
    @Test func `a history that takes the place of another began later, whatever the clock says`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let before = try await SQLiteJournal.open(at: path, now: .test(100))
            #expect(before.began == .test(100))
            _ = try await before.append([.opening("a")])
            await before.close()
            try FileManager.default.removeItem(atPath: path + "-mark")
            let after = try await SQLiteJournal.open(at: path, now: .test(5))
            #expect(after.epoch != before.epoch)
            #expect(after.began == .test(101))
            await after.close()
        }
    }

    @Test func `a journal that has given out its last place refuses more`() async throws {
        try await TemporaryFolder.with { folder in
            try await withJournal(folder) { _ in }
            try ForeignConnection(path: folder.file("journal.sqlite")).execute(
                "UPDATE journal SET head = 9007199254740990")
            try await withJournal(folder) { journal in
                let changes = try await journal.append([.opening("a")])
                #expect(changes.map(\.sequence) == [.max])
                let error = await #expect(throws: JournalError.self) { try await journal.append([.opening("b")]) }
                #expect(error?.code == .full)
                let head = try await journal.head()
                #expect(head == .max)
            }
        }
    }

    @Test func `a folder that is not there is told without its path`() async throws {
        do {
            _ = try await SQLiteJournal.open(at: "/nowhere/at/all/journal.sqlite", now: .test(0))
            Issue.record("it opened")
        } catch let error as JournalError {
            #expect(error.code == .unavailable)
            #expect(!error.description.contains("nowhere"))
        }
    }

    // K9
    @Test func `pruning gives the space back`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            func size() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: path)).count }
            try await withJournal(folder) { journal in
                let text = String(repeating: "z", count: 2_000)
                for number in 0..<400 {
                    _ = try await journal.append([
                        .opening("r\(number)"),
                        .step("r\(number)", 1, phase: .succeeded, payload: ["t": .string(text)]),
                    ])
                }
            }
            let before = try size()
            try await withJournal(folder) { journal in
                let policy = RetentionPolicy(maximumAge: 0, maximumRunsPerOperation: nil)
                let removed = try await journal.prune(policy, now: .test(10))
                #expect(removed == 400)
            }
            #expect(try size() < before / 4)
        }
    }

    // K3
    @Test func `a prune that was cut short is finished by the next, and its remains are never seen`() async throws {
        try await TemporaryFolder.with { folder in
            try await withJournal(folder) { journal in
                _ = try await journal.append([.opening("a"), .step("a", 1, phase: .succeeded), .opening("b")])
            }
            // What the first step of a prune leaves behind when the process ends there.
            try ForeignConnection(path: folder.file("journal.sqlite")).execute(
                "DELETE FROM runs WHERE id = 'a'; INSERT INTO leaving (stream) VALUES (1)")
            try await withJournal(folder) { journal in
                #expect(try await journal.tail(9).map(\.sequence) == [3])
                _ = try await journal.prune(RetentionPolicy(), now: .test(0))
                #expect(try await journal.tail(9).map(\.sequence) == [3])
            }
            let rows = try ForeignConnection(path: folder.file("journal.sqlite"))
                .number("SELECT (SELECT count(*) FROM changes) * 10 + (SELECT count(*) FROM leaving)")
            #expect(rows == 10)
        }
    }

    // K5
    @Test func `a thousand changes offered at once are one transaction`() async throws {
        try await TemporaryFolder.with { folder in
            try await withJournal(folder) { journal in
                _ = try await journal.append((0..<1_000).map { .opening("r\($0)") })
                #expect(journal.accesses.writes == 1)
                #expect(journal.accesses.reads == 0)
            }
        }
    }

    @Test func `what comes after closing is refused, and does not take the journal again`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(at: path, now: .test(0))
            await journal.close()
            await #expect(throws: JournalError.self) { try await journal.setNote("late", "text") }
            await #expect(throws: JournalError.self) { try await journal.head() }
            let again = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect(again.notices.isEmpty)
            await again.close()
        }
    }
}
