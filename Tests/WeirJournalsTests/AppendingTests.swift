import Testing
import WeirJournals
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct AppendingTests {
    // K1
    @Test(arguments: JournalKind.allCases)
    func `changes get the next sequences in the order they were offered`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let first = try await journal.append([.opening("a"), .opening("b"), .step("a", 1)])
            let second = try await journal.append([.step("b", 1), .store("login", 0)])
            #expect(first.map(\.sequence) == [1, 2, 3])
            #expect(second.map(\.sequence) == [4, 5])
            #expect(try await journal.head() == 5)
        }
    }

    // K1
    @Test(arguments: JournalKind.allCases)
    func `a revision that does not follow its stream's last is refused with all its batch`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([.opening("a"), .store("login", 0)])
            let wrong: [[ChangeDraft]] = [
                [.opening("b"), .step("a", 2)], [.opening("b"), .step("a", 0)], [.opening("b"), .opening("a")],
                [.opening("b"), .step("b", 2)], [.step("unknown", 0)], [.step("unknown", 1)],
                [.opening("b"), .store("login", 0)], [.opening("b"), .store("login", 2)], [.store("other", 1)],
                [.opening("b"), .store("login", 1, step: nil)],
                [.opening("b"), .step("a", 1, operation: "download")],
            ]
            for batch in wrong {
                #expect(try await code { try await journal.append(batch) } == .outOfOrder)
            }
            #expect(try await journal.head() == 2)
            #expect(try await journal.run("b") == nil)
            #expect(try await journal.append([.step("a", 1), .store("login", 1)]).map(\.sequence) == [3, 4])
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `an opening anywhere but at a run's beginning is refused`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([.opening("a")])
            let opening = RunOpening(actor: "anna", input: [:])
            for (stream, subject, revision) in [(StreamID.run("a"), "upload", Int64(1)), (.store("s"), "s", 0)] {
                let draft = ChangeDraft(
                    stream: stream, subject: subject, revision: revision, at: .test(0),
                    state: StateRecord(caseName: "x", phase: .active), isTransition: true, opening: opening)
                #expect(try await code { try await journal.append([draft]) } == .outOfOrder)
            }
        }
    }

    // K2
    @Test(arguments: JournalKind.allCases)
    func `what was appended reads back the same in every part`(kind: JournalKind) async throws {
        let hostile = "<script>\u{0}\u{7}\"'\\ \u{202E} \u{1F469}\u{200D}\u{1F4BB} e\u{301} \u{2028}\n"
        let payload: JSONValue = [
            "text": .string(hostile), hostile: [nil, true, 1, 1.5, .number(1), .integer(.min), -0.25, 1e300],
            "empty": [:], "list": [], "": "",
        ]
        let drafts: [ChangeDraft] = [
            .opening("a", actor: hostile, input: payload, key: hostile, retryOf: "z\u{0}z"),
            .step("a", 1, payload: payload, cause: hostile, progress: WorkProgress(3, of: nil, unit: .bytes)),
            .step("a", 2, payload: .string(hostile), cause: "", progress: WorkProgress(3, of: 7), isTransition: false),
            .step("a", 3, phase: .failed, payload: nil, progress: WorkProgress(Int64.max, of: .max, unit: .percent)),
            .store("login", 0, payload: payload),
        ]
        try await kind.withJournal { journal in
            let appended = try await journal.append(drafts)
            let read = try await journal.tail(10)
            #expect(appended.map(\.draft) == drafts)
            #expect(read == appended)
            // Swift's == takes texts as equal that differ in their bytes.
            for (left, right) in zip(read, drafts) {
                let texts = (try left.state.payload.text(), try right.state.payload.text())
                #expect(texts.0.utf8.elementsEqual(texts.1.utf8))
                #expect((left.draft.cause ?? "-").utf8.elementsEqual((right.cause ?? "-").utf8))
            }
            #expect(try await journal.run("a")?.opening == drafts[0].opening)
            #expect(try await journal.run(idempotencyKey: hostile, operation: "upload", actor: hostile)?.id == "a")
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `appending nothing gives nothing`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let nothing = try await journal.append([])
            #expect(nothing.isEmpty)
            #expect(try await journal.head() == 0)
            #expect(try await journal.tail(5).isEmpty)
            #expect(try await journal.counts().isEmpty)
        }
    }

    // K1
    @Test(arguments: JournalKind.allCases)
    func `appends from many tasks keep revisions without gaps and sequences without repeats`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for run in 0..<8 {
                    group.addTask {
                        _ = try await journal.append([.opening("r\(run)")])
                        for revision in 1..<20 { _ = try await journal.append([.step("r\(run)", Int64(revision))]) }
                    }
                }
                try await group.waitForAll()
            }
            let changes = try await journal.changes(of: .board, after: 0, through: nil, limit: 1_000)
            #expect(changes.map(\.sequence) == Array(1...160))
            for run in 0..<8 {
                let own = try await journal.changes(of: .run("r\(run)"), after: 0, through: nil, limit: 1_000)
                #expect(own.map(\.revision) == Array(0..<20))
            }
        }
    }

    // K7
    @Test(arguments: JournalKind.allCases)
    func `an append in a cancelled task is recorded all the same`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await journal.append([.opening("a")]).count
            }
            let count = try await task.value
            #expect(count == 1)
            #expect(try await journal.run("a") != nil)
        }
    }
}
