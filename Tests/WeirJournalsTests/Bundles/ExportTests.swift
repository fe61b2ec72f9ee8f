import Foundation
import Synchronization
import Testing
import WeirJournals
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct ExportTests {
    private static let pairs = JournalKind.allCases.flatMap { from in JournalKind.allCases.map { (from, $0) } }

    func fill(_ journal: any Journal) async throws {
        _ = try await journal.append([
            .opening(
                "a", actor: "anna", input: ["n": .number(1), "i": 1, "t": "e\u{301}"], key: "k", retryOf: "z",
                expected: RunEstimate(
                    cases: ["a": .init(shortest: 0, longest: 9, right: 8, tried: 10)], steps: ["a": 7], whole: 8)),
            .opening("b", operation: "login", at: 5), .store("login", 0),
            .step("a", 1, at: 7, payload: ["_0": [nil, true]], progress: WorkProgress(3, of: nil, unit: .bytes)),
            .step("a", 2, at: 8, phase: .failed, payload: ["message": "refused"], cause: "peer\n"),
        ])
        _ = try await journal.appendOutput(
            run: "a",
            lines: (1...700).map {
                OutputDraft(
                    at: .test($0), channel: .standardError, text: "\u{1B}[1m\u{0}line \($0)", continues: $0 == 1)
            }, after: nil)
    }

    func export(_ journal: any Journal, _ query: RunQuery = RunQuery()) async throws -> [String] {
        var lines: [String] = []
        _ = try await JournalExport(of: journal, created: .test(99)).runs(query) { lines.append($0) }
        return lines
    }

    @Test(arguments: JournalKind.allCases)
    func `an export names no run of steps that its reader may not know of`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([
                .opening("whole", operation: "secret"),
                .opening("part", operation: "upload", key: "step whole first 1"),
            ])
            func lines(_ mayName: (@Sendable (RunRecord) -> Bool)?) async throws -> String {
                var lines: [String] = []
                let export = JournalExport(of: journal, created: .test(99), mayName: mayName)
                _ = try await export.run("part") { lines.append($0) }
                return lines.joined(separator: "\n")
            }
            #expect(try await lines(nil).contains("step whole first 1"))
            #expect(try await lines { $0.operation == "secret" }.contains("step whole first 1"))
            #expect(try await !lines { $0.operation != "secret" }.contains("whole"))
        }
    }

    func take(_ lines: [String], _ journal: any Journal, at now: Timestamp = .test(100)) async throws
        -> ImportReport
    {
        try await JournalImport(into: journal, at: now).lines {
            let rest = Mutex(lines[...])
            return { rest.withLock { $0.popFirst() } }
        }
    }

    // K10
    @Test(arguments: pairs)
    func `what is exported and imported is the same in every byte but its sequences`(
        from: JournalKind, to: JournalKind
    ) async throws {
        try await from.withJournal { source in
            try await fill(source)
            let lines = try await export(source)
            try await to.withJournal { target in
                _ = try await target.append([.opening("other")])
                let report = try await take(lines, target)
                #expect(report.imported == ["a", "b"])
                #expect(report.unfinished == ["b"])
                #expect(report.changes == 4)
                #expect(report.lines == 700)
                for id in ["a", "b"] {
                    let there = try await source.changes(of: .run(id), after: 0, through: nil, limit: 100)
                    let all = try await target.changes(of: .run(id), after: 0, through: nil, limit: 100)
                    let here = all.prefix(there.count)
                    #expect(here.map(\.draft) == there.map(\.draft))
                    #expect(here.map(\.origin?.sequence) == there.map(\.sequence))
                    #expect(here.allSatisfy { $0.origin?.epoch == source.epoch })
                    #expect(try await target.run(id)?.origin?.sequence == there.first?.sequence)
                    #expect(try await target.run(id)?.opening == there.first?.draft.opening)
                    #expect(try await target.run(id)?.changedAt == all.last?.at)
                    let output = try await source.output(of: id, after: 0, limit: 1_000)
                    #expect(try await target.output(of: id, after: 0, limit: 1_000) == output)
                }
                #expect(target.epoch != source.epoch)
                #expect(try await target.runs(RunQuery(text: "refused line")).runs.map(\.id) == ["a"])
                // The lines say where a change was first, so that a copy of a copy is no different.
                let again = try await export(target, RunQuery(operation: "upload", phase: .failed))
                let third = MemoryJournal()
                _ = try await take(again, third)
                let copies = try await target.changes(of: .run("a"), after: 0, through: nil, limit: 9)
                let copiesOfCopies = await third.changes(of: .run("a"), after: 0, through: nil, limit: 9)
                #expect(copiesOfCopies.map(\.origin) == copies.map(\.origin))
            }
        }
    }

    // K10
    @Test(arguments: JournalKind.allCases)
    func `a run that is here already is skipped if it is the same, and refused if it differs`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            let lines = try await export(journal)
            let head = try await journal.head()
            let report = try await take(lines, journal)
            #expect(report.skipped == ["a", "b"])
            #expect(report.imported.isEmpty)
            #expect(try await journal.head() == head)

            let otherState = lines.map { $0.replacingOccurrences(of: "refused", with: "resused") }
            #expect(try await code { try await take(otherState, journal) } == .conflict)
            let otherBytes = lines.map { $0.replacingOccurrences(of: "e\u{301}", with: "\u{E9}", options: .literal) }
            #expect(try await code { try await take(otherBytes, journal) } == .conflict)
            let otherLine = lines.map { $0.replacingOccurrences(of: "line 700", with: "line 70") }
            #expect(try await code { try await take(otherLine, journal) } == .conflict)
            _ = try await journal.append([.step("b", 1, operation: "login")])
            #expect(try await code { try await take(lines, journal) } == .conflict)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a run whose name is another page's address is not taken in, and is known where it is already`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            let source = MemoryJournal()
            _ = try await source.append([.opening("a"), .opening("export")])
            let lines = try await export(source)
            let error = await #expect(throws: JournalError.self) { try await take(lines, journal) }
            #expect(error?.code == .malformed && error?.description.contains("No run can be called “export”") == true)
            #expect(try await journal.head() == 0)
            #expect(try await take(lines, source).skipped == ["a", "export"])
        }
    }

    // K4, K10
    @Test(arguments: JournalKind.allCases)
    func `a run that was still going when it was exported ends as interrupted, once, however often it is imported`(
        kind: JournalKind
    ) async throws {
        let source = MemoryJournal()
        try await fill(source)
        let lines = try await export(source)
        try await kind.withJournal { journal in
            _ = try await take(lines, journal, at: .test(1_000))
            let run = try #require(try await journal.run("b"))
            #expect(run.state.phase == .interrupted)
            #expect(run.state.payload == ["last": "receiving"])
            #expect(run.revision == 1)
            #expect(run.endedAt == .test(1_000))
            #expect(run.cause == EndCause.exported.description)
            let head = try await journal.head()
            #expect(try await take(lines, journal, at: .test(2_000)).skipped == ["a", "b"])
            #expect(try await journal.head() == head)
            #expect(try await journal.unfinishedRuns().isEmpty)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `imported runs are told from those that were started here`(kind: JournalKind) async throws {
        let source = MemoryJournal()
        try await fill(source)
        let lines = try await export(source)
        try await kind.withJournal { journal in
            _ = try await journal.append([.opening("mine", key: "k")])
            _ = try await take(lines, journal)
            #expect(try await journal.runs(RunQuery(isImported: true)).runs.map(\.id) == ["b", "a"])
            #expect(try await journal.runs(RunQuery(isImported: false)).runs.map(\.id) == ["mine"])
            // The key of an imported run was given to another server.
            #expect(try await journal.run(idempotencyKey: "k", operation: "upload", actor: "anna")?.id == "mine")
        }
    }

    @Test func `a look at a file tells its runs without any journal`() async throws {
        let source = MemoryJournal()
        try await fill(source)
        let rest = Mutex(try await export(source)[...])
        let contents = try ExportContents { rest.withLock { $0.popFirst() } }
        #expect(contents.epoch == source.epoch)
        #expect(contents.created == .test(99))
        #expect(contents.runs.map(\.record.id) == ["a", "b"])
        #expect(contents.runs.map(\.record.state.phase) == [.failed, .active])
        #expect(contents.runs.map(\.changes) == [3, 1])
        #expect(contents.runs.map(\.lines) == [700, 0])
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `an imported run ages from its import`(kind: JournalKind) async throws {
        let source = MemoryJournal()
        try await fill(source)
        let lines = try await export(source)
        try await kind.withJournal { journal in
            _ = try await take(lines, journal, at: .test(1_000_000))
            let policy = RetentionPolicy(maximumAge: 1_000, maximumRunsPerOperation: nil)
            #expect(try await journal.prune(policy, now: .test(1_001_000)) == 0)
            #expect(try await journal.prune(policy, now: .test(1_001_001)) == 2)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `one run is exported as far as it has come, and an unknown one not at all`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            var lines: [String] = []
            let export = JournalExport(of: journal, created: .test(0))
            let summary = try await export.run("b") { lines.append($0) }
            #expect(summary?.changes == 1)
            #expect(lines.count == 3)
            #expect(
                lines.first
                    == "{\"header\":{\"created\":\"\(Timestamp.test(0))\",\"epoch\":\"\(journal.epoch)\",\"format\":1}}"
            )
            #expect(lines.last == #"{"end":{"changes":1,"lines":0,"runs":1}}"#)
            #expect(try await export.run("c") { lines.append($0) } == nil)
        }
    }

    // K10
    @Test(arguments: JournalKind.allCases)
    func `a run of more changes and lines than are read together is exported wholly`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append(
                [.opening("a")] + (1...1_200).map { .step("a", $0, payload: ["n": .integer($0)]) }
                    + [.step("a", 1_201, phase: .succeeded)])
            _ = try await journal.appendOutput(
                run: "a", lines: (1...1_300).map { OutputDraft(at: .test(0), text: "line \($0)") }, after: nil)
            let lines = try await export(journal)
            #expect(lines.count == 1_202 + 1_300 + 2)
            #expect(lines.last == #"{"end":{"changes":1202,"lines":1300,"runs":1}}"#)
            let copy = MemoryJournal()
            _ = try await take(lines, copy)
            #expect(await copy.run("a")?.revision == 1_201)
            #expect(await copy.output(of: "a", after: 1_299, limit: 9).map(\.text) == ["line 1300"])
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `all runs are exported oldest first, without those that are started or removed meanwhile`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            for number in 0..<120 {
                _ = try await journal.append([.opening("r\(number)"), .step("r\(number)", 1, phase: .succeeded)])
            }
            var lines: [String] = []
            let summary = try await JournalExport(of: journal, created: .test(0)).runs(RunQuery(limit: 3)) { line in
                lines.append(line)
                // With the header written, the oldest ones go and new ones come.
                guard lines.count == 1 else { return }
                _ = try await journal.append([.opening("new"), .step("new", 1, phase: .succeeded)])
                _ = try await journal.prune(
                    RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 111), now: .test(0))
            }
            #expect(summary.runs == 110)
            var rest = lines[...]
            let contents = try ExportContents { rest.popFirst() }
            #expect(contents.runs.map(\.record.id) == (10..<120).map { "r\($0)" })
        }
    }

    @Test func `of a long output its first lines and its last ones are searched, each once`() {
        var text = RunText(RunRecord.ended("a"))
        text.addOutput(count: 200) { number in
            OutputLine(
                number: number,
                draft: OutputDraft(at: .test(0), text: "line\(number) " + String(repeating: "x", count: 1_015)))
        }
        let words = text.words.split(separator: " ").filter { $0.hasPrefix("line") }
        #expect(words.first == "line1" && words.last == "line200")
        #expect(Set(words).count == words.count)
        #expect((60...70).contains(words.firstIndex(of: "line137") ?? 0) && !words.contains("line100"))
    }
}

extension RunRecord {
    /// A run that has ended.
    fileprivate static func ended(_ id: String) -> RunRecord {
        RunRecord(
            id: id, operation: "upload", opening: RunOpening(actor: "anna", input: [:]),
            state: StateRecord(caseName: "done", phase: .succeeded), cause: nil, revision: 1, sequence: 2,
            openedSequence: 1,
            startedAt: .test(0), endedAt: .test(1))
    }
}
