import Testing
@testable import WeirJournals
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct RunListTests {
    /// Twelve runs of two operations by two actors, a minute apart, the even ones ended.
    private func fill(_ journal: any Journal) async throws {
        for number in 0..<12 {
            let operation = number % 3 == 0 ? "login" : "upload"
            let minute = Int64(number) * 60_000
            _ = try await journal.append([
                .opening(
                    "r\(number)", operation: operation, at: minute, actor: number < 6 ? "anna" : "ben",
                    input: ["url": .string("https://example.com/\(number)"), "note": "Überfluß a\u{303}o"],
                    key: number < 3 ? "key" : nil),
                .step("r\(number)", 1, operation: operation, at: minute + 1),
            ])
            if number % 2 == 0 {
                _ = try await journal.append([
                    .step(
                        "r\(number)", 2, operation: operation, at: minute + 2,
                        phase: number % 4 == 0 ? .succeeded : .failed,
                        payload: ["message": number % 4 == 0 ? "done" : "connection refused"])
                ])
            }
        }
    }

    private func ids(_ journal: any Journal, _ query: RunQuery) async throws -> [String] {
        try await journal.runs(query).runs.map(\.id)
    }

    @Test(arguments: JournalKind.allCases)
    func `runs are listed newest first, a page at a time`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            var query = RunQuery(limit: 5)
            var pages: [[String]] = []
            while true {
                let page = try await journal.runs(query)
                pages.append(page.runs.map(\.id))
                guard let next = page.next else { break }
                query.before = next
            }
            #expect(pages == [["r11", "r10", "r9", "r8", "r7"], ["r6", "r5", "r4", "r3", "r2"], ["r1", "r0"]])
            #expect(try await journal.runs(RunQuery(limit: 12)).next == nil)
            #expect(try await journal.runs(RunQuery(limit: 0)).runs.isEmpty)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `every filter, and all of them together, select what they say`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            #expect(try await ids(journal, RunQuery(operation: "login")) == ["r9", "r6", "r3", "r0"])
            var some = RunQuery(phase: .failed)
            some.operations = ["login", "nothing"]
            #expect(try await ids(journal, some) == ["r6"])
            some.text = "refused"
            #expect(try await ids(journal, some) == ["r6"])
            some.operation = "upload"
            #expect(try await ids(journal, some).isEmpty)
            some.operations = []
            #expect(try await ids(journal, some).isEmpty)
            #expect(try await ids(journal, RunQuery(phase: .failed)) == ["r10", "r6", "r2"])
            #expect(try await ids(journal, RunQuery(actor: "anna", limit: 2)) == ["r5", "r4"])
            #expect(try await ids(journal, RunQuery(operation: "login", phase: .failed)) == ["r6"])
            #expect(try await ids(journal, RunQuery(operation: "login", actor: "ben")) == ["r9", "r6"])
            #expect(try await ids(journal, RunQuery(phase: .succeeded, actor: "anna")) == ["r4", "r0"])
            let range = RunQuery(startedAfter: .test(120_000), startedBefore: .test(240_000))
            #expect(try await ids(journal, range) == ["r3", "r2"])
            let all = RunQuery(
                operation: "upload", phase: .failed, actor: "anna", text: "refused", startedAfter: .test(60_000),
                startedBefore: .test(600_000), before: 1_000)
            #expect(try await ids(journal, all) == ["r2"])
            #expect(try await ids(journal, RunQuery(operation: "none")).isEmpty)
            #expect(try await ids(journal, RunQuery(actor: "none")).isEmpty)
        }
    }

    @Test(
        arguments: JournalKind.allCases,
        [
            ("refused", ["r10", "r6", "r2"]), ("Connection REFUSED", ["r10", "r6", "r2"]),
            ("refus", ["r10", "r6", "r2"]),
            ("fused", ["r10", "r6", "r2"]), ("\"refus\"", []), ("ef", []),
            ("refus*", ["r10", "r6", "r2"]), ("https://example.com/7", ["r7"]), ("r7", ["r7"]),
            ("com/1*", ["r1"]), ("com/11*", ["r11"]),
            ("refused done", []), ("done 4", ["r4"]), ("ão uberfluß 3", ["r3"]), ("\"'; DROP OR NEAR(", []),
            ("note", []),
            ("AND", []), ("done* 8*", ["r8"]), ("do* r8*", ["r8"]),
        ] as [(String, [String])])
    func `words find runs`(kind: JournalKind, search: (text: String, runs: [String])) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            let found = try await ids(journal, RunQuery(text: search.text))
            #expect(found == search.runs)
            // Once more, as the first search may have changed how the runs are found.
            #expect(try await ids(journal, RunQuery(text: search.text)) == search.runs)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `the name of an operation finds its runs, together with what is in them`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            var query = RunQuery(text: "Sign efus")
            #expect(try await ids(journal, query).isEmpty)
            query.operationNames = ["login": "Signing in", "upload": "File upload", "none": "Signing off"]
            #expect(try await ids(journal, query) == ["r6"])
            query.text = "\"signing\" 3"
            #expect(try await ids(journal, query) == ["r3"])
            query.text = "sign*"
            #expect(try await ids(journal, query) == ["r9", "r6", "r3", "r0"])
            query.phase = .active
            #expect(try await ids(journal, query) == ["r9", "r3"])
        }
    }

    @Test(arguments: JournalKind.allCases, [RunOrder.duration, .phase])
    func `a list in another order is the same on pages of any length`(kind: JournalKind, order: RunOrder) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            // r1 takes long, r3 as long as r0; those that continue take longest.
            for (run, at) in [("r1", 90_000), ("r3", 180_002)] as [(String, Int64)] {
                let operation = run == "r3" ? "login" : "upload"
                _ = try await journal.append([.step(run, 2, operation: operation, at: at, phase: .cancelled)])
            }
            for isLeastFirst in [false, true] {
                var query = RunQuery(limit: 100)
                query.order = order
                query.isOldestFirst = isLeastFirst
                let all = try await ids(journal, query)
                let expected =
                    order == .duration
                    ? ["r11", "r9", "r7", "r5", "r1", "r10", "r8", "r6", "r4", "r3", "r2", "r0"]
                    : ["r3", "r1", "r10", "r6", "r2", "r8", "r4", "r0", "r11", "r9", "r7", "r5"]
                #expect(all == (isLeastFirst ? expected.reversed() : expected))
                query.startedAfter = .test(0)
                #expect(try await ids(journal, query) == all)
                query.startedAfter = nil
                for text in [nil, "example", "\"example\""] {
                    query.text = text
                    query.limit = 5
                    query.beyond = nil
                    var pages: [String] = []
                    while true {
                        let page = try await journal.runs(query)
                        pages += page.runs.map(\.id)
                        guard page.next != nil, let last = page.runs.last else { break }
                        query.beyond = query.place(of: last)
                    }
                    #expect(pages == all)
                }
            }
            var some = RunQuery(phase: .failed, startedAfter: .test(120_001), limit: 1)
            some.order = order
            #expect(try await ids(journal, some) == ["r10"])
        }
    }

    @Test(arguments: JournalKind.allCases, [RunOrder.duration, .phase])
    func `every run is on one page, also if runs end and begin between two pages`(kind: JournalKind, order: RunOrder)
        async throws
    {
        try await kind.withJournal { journal in
            for isLeastFirst in [false, true] {
                let prefix = isLeastFirst ? "a" : "b"
                for number in 0..<6 {
                    let (run, at) = ("\(prefix)\(number)", Int64(number) * 1_000)
                    _ = try await journal.append([
                        .opening(run, operation: prefix, at: at), .step(run, 1, operation: prefix, at: at + 1),
                    ])
                }
                _ = try await journal.append([.step("\(prefix)0", 2, operation: prefix, at: 500, phase: .failed)])
                var query = RunQuery(operation: prefix, limit: 2)
                (query.order, query.isOldestFirst) = (order, isLeastFirst)
                query.asOf = RunOrder.Moment(at: .test(10_000), head: try await journal.head())
                var found: [String] = []
                while true {
                    let page = try await journal.runs(query)
                    found += page.runs.map(\.id)
                    guard page.next != nil, let last = page.runs.last else { break }
                    query.beyond = RunOrder.Place(query.place(of: last).description)
                    guard found.count == 2 else { continue }
                    for number in 1..<6 {
                        _ = try await journal.append([
                            .step("\(prefix)\(number)", 2, operation: prefix, at: 1_500, phase: .succeeded)
                        ])
                    }
                }
                // As of 10 s, the first has taken 0.5 s, and the others 9 s down to 5 s.
                let expected =
                    order == .duration ? ["1", "2", "3", "4", "5", "0"] : ["0", "5", "4", "3", "2", "1"]
                #expect(found == (isLeastFirst ? expected.reversed() : expected).map { prefix + $0 })
            }
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a search without a word in it finds nothing, and a blank one leaves nothing out`(kind: JournalKind)
        async throws
    {
        try await kind.withJournal { journal in
            try await fill(journal)
            for text in ["#", " -- ", "%", "_", "++", "\\", "\"", "*", "\u{1F600}"] {
                #expect(try await ids(journal, RunQuery(text: text)).isEmpty, "\(text)")
            }
            #expect(try await ids(journal, RunQuery(text: " ")).count == 12)
            let page = try await journal.runs(RunQuery(text: "example", limit: 5))
            #expect(page.runs.map(\.id) == ["r11", "r10", "r9", "r8", "r7"])
            let rest = try await journal.runs(RunQuery(text: "example", before: page.next))
            #expect(rest.runs.count == 7)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a run that goes on after its end is found by what it became`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            #expect(try await ids(journal, RunQuery(text: "refused 10")) == ["r10"])
            _ = try await journal.append([
                .step("r10", 3, at: 700_000, phase: .succeeded, payload: ["message": "accepted"])
            ])
            #expect(try await ids(journal, RunQuery(text: "refused 10")).isEmpty)
            #expect(try await ids(journal, RunQuery(text: "accepted 10")) == ["r10"])
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `counts and unfinished runs follow the phases`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            #expect(
                try await journal.counts() == [
                    RunCount(operation: "login", phase: .active, count: 2),
                    RunCount(operation: "login", phase: .succeeded, count: 1),
                    RunCount(operation: "login", phase: .failed, count: 1),
                    RunCount(operation: "upload", phase: .active, count: 4),
                    RunCount(operation: "upload", phase: .succeeded, count: 2),
                    RunCount(operation: "upload", phase: .failed, count: 2),
                ])
            #expect(try await journal.unfinishedRuns().map(\.id) == ["r1", "r3", "r5", "r7", "r9", "r11"])
            _ = try await journal.append([.step("r3", 2, operation: "login", phase: .interrupted)])
            #expect(try await journal.unfinishedRuns().map(\.id) == ["r1", "r5", "r7", "r9", "r11"])
            #expect(try await journal.counts().contains(RunCount(operation: "login", phase: .active, count: 1)))
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a key finds the newest run that its actor started with it, of one operation`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            func found(_ key: String, _ operation: String, _ actor: String) async throws -> String? {
                try await journal.run(idempotencyKey: key, operation: operation, actor: actor)?.id
            }
            #expect(try await found("key", "upload", "anna") == "r2")
            #expect(try await found("key", "login", "anna") == "r0")
            #expect(try await found("key", "upload", "ben") == nil)
            #expect(try await found("other", "upload", "anna") == nil)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `extreme numbers and endless texts are survived`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            for limit in [Int.min, -1, 0] {
                let page = try await journal.runs(RunQuery(limit: limit))
                #expect(page == RunPage(runs: [], next: nil))
            }
            #expect(try await journal.runs(RunQuery(limit: .max)).runs.count == 12)
            #expect(try await journal.runs(RunQuery(text: "example", before: .zero)).runs.isEmpty)
            #expect(try await journal.runs(RunQuery(text: "example", before: .max)).runs.count == 12)
            let ends = RunQuery(
                startedAfter: Timestamp(milliseconds: .min), startedBefore: Timestamp(milliseconds: .max), before: .zero
            )
            #expect(try await journal.runs(ends).runs.isEmpty)
            for text in [String(repeating: "a ", count: 100_000), String(repeating: "a.", count: 500_000)] {
                #expect(try await journal.runs(RunQuery(text: text)).runs.isEmpty)
            }
            #expect(try await journal.changes(of: .board, after: .zero, through: .max, limit: .max).count == 30)
            #expect(try await journal.output(of: "r1", after: .zero, limit: .max).isEmpty)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a longer beginning finds every word that goes on so, few or many`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let words =
                ["build", "builder", "building", "built", "rebuild", "b\u{FC}ilder"] + (100..<150).map { "part\($0)" }
            for (number, word) in words.enumerated() {
                _ = try await journal.append([
                    .opening("r\(number)", input: ["a": .string("the \(word)"), "b": .string("\(word) of ours")]),
                    .step("r\(number)", 1, phase: .succeeded),
                ])
            }
            #expect(try await ids(journal, RunQuery(text: "build*")) == ["r5", "r2", "r1", "r0"])
            #expect(try await ids(journal, RunQuery(text: "BUILDE*")) == ["r5", "r1"])
            #expect(try await ids(journal, RunQuery(text: "buil*")) == ["r5", "r3", "r2", "r1", "r0"])
            #expect(
                try await ids(journal, RunQuery(text: "büil*")).count == ids(journal, RunQuery(text: "buil*")).count)
            #expect(try await ids(journal, RunQuery(text: "the-build*")) == ["r5", "r2", "r1", "r0"])
            #expect(try await ids(journal, RunQuery(text: "ours-build*")) == [])
            #expect(try await ids(journal, RunQuery(text: "buildings*")) == [])
            #expect(try await ids(journal, RunQuery(text: "part*", limit: 500)).count == 50)
            #expect(try await ids(journal, RunQuery(text: "part12*")).count == 10)
            #expect(try await ids(journal, RunQuery(text: "the-part12* ours")).count == 10)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a word longer than an index takes keeps no run from being found`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let words = ["x", "\u{6F22}"].map { String(repeating: $0, count: 301) }
            for (number, word) in words.enumerated() {
                _ = try await journal.append([
                    .opening("r\(number)", input: ["a": .string("small \(word) print")]),
                    .step("r\(number)", 1, phase: .succeeded),
                ])
            }
            for _ in 0..<2 {
                #expect(try await ids(journal, RunQuery(text: "small")) == ["r1", "r0"])
                #expect(try await ids(journal, RunQuery(text: "print xxx*")) == ["r0"])
                #expect(try await ids(journal, RunQuery(text: "\u{6F22}\u{6F22}* print")) == ["r1"])
            }
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `of a very large state the beginning is searched`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let filler = JSONValue.array((0..<20_000).map { .string("filler\($0)") })
            for (run, payload): (String, JSONValue) in [
                ("first", ["a": "needle", "b": filler]), ("last", ["a": filler, "b": "needle"]),
            ] {
                _ = try await journal.append([
                    .opening(run), .step(run, 1, phase: .succeeded, payload: payload),
                ])
            }
            #expect(try await ids(journal, RunQuery(text: "needle")) == ["first"])
            #expect(try await ids(journal, RunQuery(text: "filler100")) == ["last", "first"])
        }
    }

    @Test func `a search that takes longer than it may is stopped, and a list without words is not`() async throws {
        try await TemporaryFolder.with { folder in
            var configuration = SQLiteJournal.Configuration()
            configuration.searchTime = .zero
            let journal = try await SQLiteJournal.open(
                at: folder.file("journal.sqlite"), configuration: configuration, now: { .test(0) })
            try await fill(journal)
            #expect(try await code { try await journal.runs(RunQuery(text: "example")) } == .searchTooLong)
            #expect(try await journal.runs(RunQuery()).runs.count == 12)
            await journal.close()
        }
    }

    @Test func `a search in many runs is stopped while SQLite reads`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            var configuration = SQLiteJournal.Configuration()
            // The first search also indexes the runs.
            configuration.searchTime = .seconds(60)
            let writing = try await SQLiteJournal.open(at: path, configuration: configuration, now: { .test(0) })
            for number in 0..<600 {
                _ = try await writing.append([
                    .opening("r\(number)", input: ["text": .string(String(repeating: "word ", count: 2_000))]),
                    .step("r\(number)", 1, phase: .succeeded),
                ])
            }
            _ = try await writing.runs(RunQuery(text: "nothing"))
            await writing.close()
            // More than what comes before the first row takes, and less than all rows.
            configuration.searchTime = .microseconds(500)
            let journal = try await SQLiteJournal.open(at: path, configuration: configuration, now: { .test(0) })
            #expect(try await code { try await journal.runs(RunQuery(text: "nothing")) } == .searchTooLong)
            await journal.close()
        }
    }

    @Test func `large runs are indexed in several short transactions`() async throws {
        try await TemporaryFolder.with { folder in
            var configuration = SQLiteJournal.Configuration()
            configuration.searchTime = .seconds(60)
            let journal = try await SQLiteJournal.open(
                at: folder.file("journal.sqlite"), configuration: configuration, now: { .test(0) })
            let text = JSONValue.string(String(repeating: "word ", count: 12_000))
            for number in 0..<60 {
                _ = try await journal.append([
                    .opening("r\(number)", input: ["text": text]), .step("r\(number)", 1, phase: .succeeded),
                ])
            }
            let writes = journal.accesses.writes
            #expect(try await ids(journal, RunQuery(text: "word", limit: 100)).count == 60)
            #expect(journal.accesses.writes - writes >= 3)
            await journal.close()
        }
    }
}
