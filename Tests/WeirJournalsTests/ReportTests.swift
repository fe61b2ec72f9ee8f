import Testing
import WeirJournals
import WeirStates

/// What reporters of runs send, held to section 5 of the Durable Streams protocol by both journals.
@Suite(.timeLimit(.minutes(15))) struct ReportTests {
    private func opening(_ run: String, by actor: String = "anna", input: JSONValue = [:], closed: Bool = false)
        -> Report
    {
        Report(
            run: run, operation: "deploy", reporter: actor,
            opening: RunOpening(actor: actor, input: input, report: RunReport(title: "Deploy")),
            ending: closed ? .closed(nil) : .none)
    }

    private func state(_ name: String, _ phase: Phase = .active) -> StateRecord {
        StateRecord(caseName: name, payload: ["file": "a.bin"], phase: phase, progress: WorkProgress(1, of: 2))
    }

    private func report(
        _ run: String, _ entries: [Report.Entry] = [], by actor: String = "anna", ending: Report.Ending = .none,
        producer: (id: String, epoch: SequenceNumber, number: SequenceNumber)? = nil
    ) -> Report {
        Report(
            run: run, operation: "deploy", reporter: actor, entries: entries, ending: ending,
            producer: producer.map { ProducerStamp(id: $0.id, epoch: $0.epoch, number: $0.number) })
    }

    private func take(_ journal: any Journal, _ report: Report, at: Int64 = 0) async throws -> ReportReceipt {
        try #require(try await journal.report([report], at: .test(at)).first)
    }

    // 5.1
    @Test(arguments: JournalKind.allCases)
    func `a run is opened once, and again only by its owner with the same input`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let first = try await take(journal, opening("a", input: ["tag": "v1"]))
            #expect(first.outcome == .taken)
            #expect(first.changes.map(\.state.caseName) == ["opened"])
            #expect(try await take(journal, opening("a", input: ["tag": "v1"])).outcome == .known)
            #expect(try await take(journal, opening("a", input: ["tag": "v2"])).outcome == .conflict)
            #expect(try await take(journal, opening("a", by: "ben", input: ["tag": "v1"])).outcome == .conflict)
            #expect(try await take(journal, opening("a", input: ["tag": "v1"], closed: true)).outcome == .conflict)
            let record = try #require(try await journal.run("a"))
            #expect(record.opening.report == RunReport(title: "Deploy"))
            #expect(record.opening.input == ["tag": "v1"])
            #expect(try await journal.head() == 1)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a run that was started here is nobody's to report`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([.opening("a", operation: "deploy")])
            #expect(try await take(journal, opening("a")).outcome == .conflict)
            #expect(try await take(journal, report("a", [.state(state("x"))])).outcome == .unknownRun)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a report that is sent later has the reporter's times, in order and not after its arrival`(kind: JournalKind)
        async throws
    {
        try await kind.withJournal { journal in
            let opening = Report(
                run: "a", operation: "deploy", reporter: "anna",
                opening: RunOpening(actor: "anna", input: [:], report: RunReport()), happenedAt: [.test(1_000)])
            _ = try await take(journal, opening, at: 60_000)
            let rest = Report(
                run: "a", operation: "deploy", reporter: "anna",
                entries: [
                    .state(state("build")), .line("one", .standardOutput), .line("two", .standardOutput),
                    .state(state("push")), .state(state("check")),
                ], ending: .closed(state("done", .succeeded)),
                // The third is before the second, and the fifth after the arrival.
                happenedAt: [.test(1_500), .test(2_000), .test(1_900), nil, .test(99_000), .test(5_000)])
            _ = try await take(journal, rest, at: 60_500)
            let record = try #require(try await journal.run("a"))
            #expect(record.startedAt == .test(1_000) && record.endedAt == .test(60_500))
            let changes = try await journal.changes(of: .run("a"), after: 0, through: nil, limit: 9)
            #expect(changes.map(\.at) == [1_000, 1_500, 60_500, 60_500, 60_500].map { Timestamp.test($0) })
            let received: [String?] = [
                Timestamp.test(60_000).description, Timestamp.test(60_500).description, nil, nil, nil,
            ]
            #expect(changes.map { $0.state.payload["receivedAt"]?.string } == received)
            let lines = try await journal.output(of: "a", after: 0, limit: 9)
            #expect(lines.map(\.at) == [.test(2_000), .test(2_000)])
        }
    }

    // 5.1: created and closed at once
    @Test(arguments: JournalKind.allCases)
    func `a run that is opened closed has succeeded, and is known when opened so again`(kind: JournalKind) async throws
    {
        try await kind.withJournal { journal in
            let receipt = try await take(journal, opening("a", closed: true))
            #expect(receipt.isEnded)
            #expect(receipt.changes.map(\.state.phase) == [.active, .succeeded])
            #expect(try await take(journal, opening("a", closed: true)).outcome == .known)
            #expect(try await take(journal, opening("a")).outcome == .conflict)
        }
    }

    // 5.2
    @Test(arguments: JournalKind.allCases)
    func `every state is recorded, equal ones too, and lines get numbers`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"))
            let receipt = try await take(
                journal,
                report(
                    "a",
                    [
                        .state(state("build")), .state(state("build")), .line("one", .standardOutput),
                        .line("two", .standardError), .state(state("push")),
                    ]), at: 5)
            #expect(receipt.outcome == .taken)
            #expect(receipt.changes.map(\.revision) == [1, 2, 3])
            #expect(receipt.changes.map(\.isTransition) == [true, false, true])
            #expect(receipt.lines.map(\.number) == [1, 2])
            #expect(receipt.place == ReportPlace(sequence: 4, line: 2))
            let kept = try await journal.changes(of: .run("a"), after: 0, through: nil, limit: 10)
            #expect(kept.dropFirst().map(\.draft) == receipt.changes.map(\.draft))
            #expect(try await journal.output(of: "a", after: 0, limit: 9) == receipt.lines)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `moments never go back, and a state that follows a line is later`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"), at: 100)
            let first = try await take(journal, report("a", [.line("one", .standardOutput)]), at: 50)
            #expect(first.lines.map(\.at) == [.test(100)])
            let second = try await take(
                journal, report("a", [.state(state("b")), .line("two", .standardOutput), .state(state("c"))]), at: 60)
            #expect(second.changes.map(\.at) == [.test(101), .test(102)])
            #expect(second.lines.map(\.at) == [.test(101)])
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `only who opened a run adds to it, and only under its operation`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"))
            #expect(try await take(journal, report("a", [.state(state("x"))], by: "ben")).outcome == .unknownRun)
            #expect(try await take(journal, report("b", [.state(state("x"))])).outcome == .unknownRun)
            let other = Report(run: "a", operation: "build", reporter: "anna", entries: [.state(state("x"))])
            #expect(try await take(journal, other).outcome == .unknownRun)
            #expect(try await journal.head() == 1)
        }
    }

    // 5.2.1
    @Test(arguments: JournalKind.allCases)
    func `a repeated request changes nothing, and is told how far its producer is`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"))
            for number in 0..<3 {
                let sent = report(
                    "a", [.state(state("s\(number)")), .line("l\(number)", .standardOutput)],
                    producer: ("p", 0, SequenceNumber(clamping: number)))
                #expect(try await take(journal, sent).outcome == .taken)
            }
            let again = try await take(journal, report("a", [.state(state("other"))], producer: ("p", 0, 1)))
            #expect(again.outcome == .known)
            #expect(again.producer == ProducerStamp(id: "p", epoch: 0, number: 2))
            #expect(again.changes.isEmpty && again.lines.isEmpty)
            #expect(try await journal.head() == 4)
            #expect(try await journal.outputCount(of: "a") == 3)
        }
    }

    // 5.2.1
    @Test(arguments: JournalKind.allCases)
    func `a gap names what is missing, and a later epoch fences the one before`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"))
            func sent(_ epoch: SequenceNumber, _ number: SequenceNumber, _ id: String = "p") async throws
                -> ReportReceipt.Outcome
            {
                try await take(journal, report("a", [.state(state("x"))], producer: (id, epoch, number))).outcome
            }
            #expect(try await sent(0, 1) == .gap(expected: 0))
            #expect(try await sent(0, 0) == .taken)
            #expect(try await sent(0, 2) == .gap(expected: 1))
            #expect(try await sent(3, 1) == .badBeginning)
            #expect(try await sent(3, 0) == .taken)
            #expect(try await sent(0, 1) == .fenced(epoch: 3))
            #expect(try await sent(3, 0) == .known)
            #expect(try await sent(0, 0, "q") == .taken)
            #expect(try await sent(.max, 0) == .taken)
            #expect(try await sent(.max, 1) == .taken)
        }
    }

    // 5.3 and 5.2.1, closing
    @Test(arguments: JournalKind.allCases)
    func `a run ends once, and only the request that ended it is known again`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"))
            _ = try await take(journal, report("a", [.state(state("x"))], producer: ("p", 1, 0)))
            let end = report("a", ending: .closed(state("gone", .failed)), producer: ("p", 1, 1))
            let ended = try await take(journal, end)
            #expect(ended.isEnded)
            #expect(ended.changes.map(\.state.phase) == [.failed])
            #expect(try await take(journal, end).outcome == .known)
            #expect(try await take(journal, report("a", [.state(state("y"))], producer: ("p", 1, 0))).outcome == .ended)
            #expect(try await take(journal, report("a", [.state(state("y"))], producer: ("p", 1, 2))).outcome == .ended)
            #expect(try await take(journal, report("a", producer: ("q", 0, 0))).outcome == .ended)
            // A later life has taken over: that is said first.
            #expect(try await take(journal, report("a", producer: ("p", 0, 9))).outcome == .fenced(epoch: 1))
            #expect(try await take(journal, report("a", [.state(state("y"))])).outcome == .ended)
            #expect(try await take(journal, report("a", ending: .closed(nil))).outcome == .known)
            #expect(try await take(journal, report("a", ending: .closed(state("z", .failed)))).outcome == .ended)
            #expect(try await journal.run("a")?.state.caseName == "gone")
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a run that ends without a state of its own has succeeded`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"))
            let receipt = try await take(journal, report("a", [.state(state("push"))], ending: .closed(nil)))
            #expect(receipt.changes.map(\.state.phase) == [.active, .succeeded])
            #expect(receipt.changes.last?.state.payload == ["last": "push"])
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `one refused report of several keeps none of the others back`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let receipts = try await journal.report(
                [
                    opening("a"), report("b", [.state(state("x"))]),
                    report("a", [.line("one", .standardOutput), .state(state("x"))]), opening("a", by: "ben"),
                    report("a", ending: .interrupted(.silent)),
                ], at: .test(0))
            #expect(receipts.map(\.outcome) == [.taken, .unknownRun, .taken, .conflict, .taken])
            let record = try #require(try await journal.run("a"))
            #expect(record.state.phase == .interrupted)
            #expect(record.cause == EndCause.silent.description)
            #expect(try await journal.outputCount(of: "a") == 1)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `the name of a removed run is not free again, and its producers are forgotten`(kind: JournalKind) async throws
    {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"))
            _ = try await take(
                journal, report("a", [.line("x", .standardOutput)], ending: .closed(nil), producer: ("p", 0, 0)))
            _ = try await journal.append([.opening("b"), .step("b", 1, phase: .succeeded)])
            let policy = RetentionPolicy(maximumAge: 1, maximumRunsPerOperation: nil)
            #expect(try await journal.prune(policy, now: .test(10_000)) == 2)
            #expect(try await take(journal, opening("a")).outcome == .removedRun)
            #expect(try await take(journal, report("a", producer: ("p", 0, 1))).outcome == .removedRun)
            // One that was started here was nobody's name.
            #expect(try await take(journal, opening("b")).outcome == .taken)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a run has a hundred producers at most`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"))
            let all = (0...100).map { report("a", producer: ("p\($0)", 0, 0)) }
            let outcomes = try await journal.report(all, at: .test(0)).map(\.outcome)
            #expect(outcomes == Array(repeating: .taken, count: 100) + [.tooManyProducers])
            #expect(try await take(journal, report("a", producer: ("p0", 0, 1))).outcome == .taken)
        }
    }

    @Test func `what was reported outlives the process, with how far producers are`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(at: path, now: .test(0))
            _ = try await take(journal, opening("a", input: ["n": 1]))
            _ = try await take(journal, report("a", [.state(state("x"))], producer: ("p", 2, 0)))
            let began = journal.began
            await journal.close()
            let again = try await SQLiteJournal.open(at: path, now: .test(99_000))
            #expect(again.began == began)
            #expect(try await take(again, report("a", [.state(state("x"))], producer: ("p", 2, 0))).outcome == .known)
            #expect(
                try await take(again, report("a", [.state(state("x"))], producer: ("p", 1, 5))).outcome
                    == .fenced(epoch: 2))
            #expect(try await again.run("a")?.opening.report == RunReport(title: "Deploy"))
            await again.close()
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `lines that several reporters send at the same time are each kept once`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await take(journal, opening("a"))
            for round in 0..<5 {
                let outcomes = try await withThrowingTaskGroup { group in
                    for number in 0..<4 {
                        let line = report("a", [.line("\(round) \(number)", .standardOutput)])
                        group.addTask { try await take(journal, line).outcome }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes == Array(repeating: .taken, count: 4))
            }
            let lines = try await journal.output(of: "a", after: 0, limit: 100)
            #expect(lines.map(\.number) == (1...20).map { SequenceNumber(clamping: $0) })
            #expect(Set(lines.map(\.text)).count == 20)
        }
    }
}
