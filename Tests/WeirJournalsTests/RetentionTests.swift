import Testing
@testable import WeirJournals
import WeirStates

@Suite struct RetentionTests {
    /// Ten runs of two operations, a second each; r0 and r5 go on.
    private func fill(_ journal: any Journal) async throws {
        for number in 0..<10 {
            let operation = number < 5 ? "login" : "upload"
            let second = Int64(number) * 1_000
            _ = try await journal.append([
                .opening("r\(number)", operation: operation, at: second),
                .step("r\(number)", 1, operation: operation, at: second + 1, payload: ["word": "common"]),
            ])
            _ = try await journal.appendOutput(
                run: "r\(number)", lines: [OutputDraft(at: .test(second), text: "line of \(number)")], after: nil)
            guard number % 5 > 0 else { continue }
            _ = try await journal.append([
                .step("r\(number)", 2, operation: operation, at: second + 2, phase: .succeeded)
            ])
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `by count, the newest ended runs of each operation stay, and all that go on`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            let policy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 2)
            #expect(try await journal.prune(policy, now: .test(1_000_000)) == 4)
            let left = try await journal.runs(RunQuery()).runs.map(\.id)
            #expect(left == ["r9", "r8", "r5", "r4", "r3", "r0"])
            #expect(try await journal.prune(policy, now: .test(1_000_000)) == 0)
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `by age, ended runs go once their end is further back`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            let policy = RetentionPolicy(maximumAge: 5_000, maximumRunsPerOperation: nil)
            // r3 ended at 3,002: not yet older than five seconds.
            #expect(try await journal.prune(policy, now: .test(8_002)) == 2)
            #expect(try await journal.runs(RunQuery(operation: "login")).runs.map(\.id) == ["r4", "r3", "r0"])
            #expect(try await journal.prune(policy, now: .test(8_003)) == 1)
            #expect(try await journal.prune(policy, now: .test(1_000_000)) == 5)
            #expect(try await journal.runs(RunQuery()).runs.map(\.id) == ["r5", "r0"])
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `an operation with limits of its own is held to them, and the others to the standard`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            let byCount = RetentionPolicy(
                maximumAge: nil, maximumRunsPerOperation: 3, operations: ["login": .init(maximumRuns: 1)])
            #expect(try await journal.prune(byCount, now: .test(1_000_000)) == 4)
            #expect(try await journal.runs(RunQuery()).runs.map(\.id) == ["r9", "r8", "r7", "r5", "r4", "r0"])
            let byAge = RetentionPolicy(
                maximumAge: 1_000, maximumRunsPerOperation: nil, operations: ["upload": .init(maximumAge: 990_000)])
            // r9 ended at 9,002 and r8 at 8,002: all three are older than a second, none than 990 seconds but one.
            #expect(try await journal.prune(byAge, now: .test(998_003)) == 3)
            #expect(try await journal.runs(RunQuery()).runs.map(\.id) == ["r9", "r5", "r0"])
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `with both limits, age goes first, and of what it leaves the newest stay`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            // Opened in their order; the first three end last, so that the old ones are among the newest.
            _ = try await journal.append((0..<10).map { .opening("r\($0)", at: Int64($0)) })
            for number in 3..<10 {
                _ = try await journal.append([.step("r\(number)", 1, at: Int64(number) * 10, phase: .succeeded)])
            }
            for number in 0..<3 {
                _ = try await journal.append([.step("r\(number)", 1, at: 1_000, phase: .succeeded)])
            }
            let policy = RetentionPolicy(maximumAge: 930, maximumRunsPerOperation: 4)
            // At 1,000 those that ended before 70 are too old: r3 to r6. Of r0, r1, r2, r7, r8, r9 the newest four stay.
            #expect(try await journal.forecast(policy, now: .test(1_000), after: 0).runs == 6)
            #expect(try await journal.prune(policy, now: .test(1_000)) == 6)
            #expect(try await journal.runs(RunQuery()).runs.map(\.id) == ["r9", "r8", "r7", "r2"])
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `with both limits, what takes many steps ends as what takes one`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            // Every other run is too old, 150 in all; of the 150 others 20 stay.
            for number in 0..<300 {
                _ = try await journal.append([
                    .opening("r\(number)"),
                    .step("r\(number)", 1, at: number % 2 == 0 ? 0 : 1_000, phase: .succeeded),
                ])
            }
            let policy = RetentionPolicy(maximumAge: 500, maximumRunsPerOperation: 20)
            #expect(try await journal.forecast(policy, now: .test(1_000), after: 0).runs == 280)
            #expect(try await journal.prune(policy, now: .test(1_000)) == 280)
            let kept = try await journal.runs(RunQuery()).runs.map(\.id)
            #expect(
                kept == (140..<150).map { "r\($0 * 2 + 1)" }.reversed()
                    + (130..<140).map { "r\($0 * 2 + 1)" }.reversed())
            #expect(try await journal.forecast(policy, now: .test(1_000), after: 0).runs == 0)
        }
    }

    /// So many ended runs, imported or started here.
    private func add(_ count: Int, _ name: String, imported: Bool, to journal: any Journal) async throws {
        let origin = imported ? ChangeOrigin(epoch: "elsewhere0001", sequence: 1) : nil
        for number in 0..<count {
            let drafts: [ChangeDraft] = [
                .opening("\(name)\(number)"), .step("\(name)\(number)", 1, phase: .succeeded),
            ]
            if imported {
                try await journal.addImported(drafts.map { .change($0, origin: origin) }, at: .test(0))
            } else {
                _ = try await journal.append(drafts)
            }
        }
        try await journal.commitImport()
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `imported runs are counted apart, so that neither they nor those started here push the others out`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            let policy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 3)
            try await add(5, "here", imported: false, to: journal)
            try await add(250, "there", imported: true, to: journal)
            #expect(
                try await journal.forecast(policy, now: .test(0), after: 4) == .init(runs: 249, kept: 255, recent: 3))
            #expect(try await journal.prune(policy, now: .test(0)) == 249)
            let kept = ["there249", "there248", "there247", "here4", "here3", "here2"]
            #expect(try await journal.runs(RunQuery()).runs.map(\.id) == kept)
            // The other way round: what is started here leaves the imported runs alone.
            try await add(120, "more", imported: false, to: journal)
            #expect(try await journal.prune(policy, now: .test(0)) == 120)
            #expect(
                try await journal.runs(RunQuery()).runs.map(\.id)
                    == ["more119", "more118", "more117", "there249", "there248", "there247"])
        }
    }

    // K9, K3
    @Test func `after a restart imported runs are counted apart as before`() async throws {
        try await TemporaryFolder.with { folder in
            let first = try await SQLiteJournal.open(at: folder.file("journal"), now: .test(0))
            try await add(4, "here", imported: false, to: first)
            try await add(20, "there", imported: true, to: first)
            await first.close()
            let second = try await SQLiteJournal.open(at: folder.file("journal"), now: .test(1))
            let policy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 4)
            #expect(try await second.prune(policy, now: .test(1)) == 16)
            let kept = try await second.runs(RunQuery(isImported: false)).runs.map(\.id)
            #expect(kept == ["here3", "here2", "here1", "here0"])
            await second.close()
        }
    }

    // K3
    @Test(arguments: JournalKind.allCases)
    func `a note is kept under its name until it is replaced or removed`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            #expect(try await journal.note("a") == nil)
            try await journal.setNote("a", "1")
            try await journal.setNote("b", "")
            try await journal.setNote("a", "e\u{301}\u{0}")
            #expect(try await journal.note("a").map { Array($0.utf8) } == Array("e\u{301}\u{0}".utf8))
            #expect(try await journal.note("b")?.isEmpty == true)
            try await journal.setNote("a", nil)
            #expect(try await journal.note("a") == nil)
        }
    }

    // K9
    @Test func `what retention removes is given back to the disk, while others append`() async throws {
        try await TemporaryFolder.with { folder in
            let journal = try await SQLiteJournal.open(at: folder.file("journal"), now: .test(0))
            let word = String(repeating: "water", count: 400)
            for number in 0..<400 {
                _ = try await journal.append(
                    [.opening("r\(number)")]
                        + (1...10).map { .step("r\(number)", $0, payload: ["word": .string(word)]) }
                        + [.step("r\(number)", 11, phase: .succeeded)])
            }
            let full = try #require(try await journal.size())
            #expect(full > 8_000_000)
            let policy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 10)
            async let removed = journal.prune(policy, now: .test(1_000))
            let appended = try await journal.append([.opening("meanwhile")])
            #expect(try await removed == 390)
            #expect(appended.count == 1)
            let left = try #require(try await journal.size())
            #expect(left < full / 10, "\(left) of \(full) bytes are left")
            #expect(try await journal.run("r399") != nil)
            await journal.close()
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `what went leaves nothing behind, and what stays keeps all its past`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            _ = try await journal.runs(RunQuery(text: "common"))
            _ = try await journal.prune(
                RetentionPolicy(maximumAge: 0, maximumRunsPerOperation: nil), now: .test(1_000_000))
            for id in ["r1", "r9"] {
                #expect(try await journal.run(id) == nil)
                #expect(try await journal.changes(of: .run(id), after: 0, through: nil, limit: 9).isEmpty)
                #expect(try await journal.output(of: id, after: 0, limit: 9).isEmpty)
                #expect(try await journal.outputCount(of: id) == 0)
            }
            let rest = try await journal.changes(of: .board, after: 0, through: nil, limit: 100)
            #expect(rest.map(\.stream) == [.run("r0"), .run("r0"), .run("r5"), .run("r5")])
            #expect(try await journal.tail(2).map(\.stream) == [.run("r5"), .run("r5")])
            #expect(try await journal.output(of: "r5", after: 0, limit: 9).map(\.text) == ["line of 5"])
            #expect(try await journal.counts().map(\.count) == [1, 1])
            #expect(try await journal.runs(RunQuery(text: "common")).runs.map(\.id) == ["r5", "r0"])
        }
    }

    // K9, K1
    @Test(arguments: JournalKind.allCases)
    func `floors tell the last change that went, and sequences go on after it`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            for topic in [Topic.board, .operation("login"), .run("r0"), .run("unknown")] {
                #expect(try await journal.floor(of: topic) == 0)
            }
            let ends = try await ["r4", "r9"].asyncMap { try await journal.run($0)?.sequence ?? 0 }
            let head = try await journal.head()
            _ = try await journal.prune(
                RetentionPolicy(maximumAge: 0, maximumRunsPerOperation: nil), now: .test(1_000_000))
            #expect(try await journal.floor(of: .operation("login")) == ends[0])
            #expect(try await journal.floor(of: .operation("upload")) == ends[1])
            #expect(try await journal.floor(of: .board) == ends[1])
            #expect(try await journal.floor(of: .run("r0")) == 0)
            #expect(try await journal.floor(of: .run("r9")) == ends[1])
            #expect(try await journal.floor(of: .store("login")) == 0)
            #expect(try await journal.head() == head)
            #expect(try await journal.append([.opening("r9")]).map(\.sequence) == [head.next])
            #expect(try await journal.floor(of: .run("r9")) == 0)
        }
    }

    // K9
    @Test func `a journal in memory forgets by itself what its policy lets go`() async throws {
        let journal = MemoryJournal(retention: RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 10))
        _ = try await journal.append([.opening("live")])
        for number in 0..<500 {
            _ = try await journal.append([.opening("r\(number)"), .step("r\(number)", 1, phase: .succeeded)])
        }
        let kept = await journal.runs(RunQuery(limit: 1_000)).runs
        #expect(kept.count < 100)
        #expect(kept.first?.id == "r499")
        #expect(kept.last?.id == "live")
    }
}

extension Array {
    /// The results of an asynchronous function, one after the other.
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
