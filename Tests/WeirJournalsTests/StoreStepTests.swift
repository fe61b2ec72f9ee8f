import Testing
import WeirJournals
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct StoreStepTests {
    private let steps = [
        StoreStep(.opened), StoreStep(.rehydrated, actor: "ben"), StoreStep(.returned, actor: "ben", returnedTo: 1),
        StoreStep(.reset), StoreStep(.unreadable),
        StoreStep(
            .action, action: RecordedAction(name: "tick", payload: ["step": 3, "note": "nul \u{0}"]), actor: "anna",
            effects: [
                RecordedEffect(.toast(message: "Done."), audience: ["ben", "“é”"]),
                RecordedEffect(.navigation(path: "/runs")),
                RecordedEffect(.download(filename: "a.md", mediaType: "text/markdown", text: "# A\n")),
                RecordedEffect(.other(name: "log", payload: ["a": [1, nil]])),
            ], idempotencyKey: "k"),
    ]

    // K2
    @Test(arguments: JournalKind.allCases)
    func `a store's step is kept with its change, whatever is in it`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let drafts = steps.enumerated().map { index, step in
                ChangeDraft.store("login", Int64(index), step: step)
            }
            let changes = try await journal.append([.opening("a")] + drafts)
            #expect(changes.map(\.draft.step) == [nil] + steps)
            #expect(try await journal.tail(100) == changes)
            #expect(try await journal.lastChange(of: .store("login"), through: .max) == changes.last)
        }
    }

    // K1
    @Test(arguments: JournalKind.allCases)
    func `a run's change that came by a step is refused`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let draft = ChangeDraft(
                stream: .run("a"), subject: "upload", revision: 0, at: .test(0),
                state: StateRecord(caseName: "receiving", phase: .active), isTransition: true,
                opening: RunOpening(actor: "anna", input: [:]), step: StoreStep(.opened))
            let refusal = try await code { try await journal.append([draft]) }
            #expect(refusal == .outOfOrder)
            #expect(try await journal.head() == 0)
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `of a store's changes the newest stay, the last one always, and revisions go on`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append((0..<2_500).map { .store("busy", $0) } + [.store("calm", 0), .opening("a")])
            let policy = RetentionPolicy(
                maximumAge: 0, maximumRunsPerOperation: nil, maximumChangesPerStore: 10)
            #expect(try await journal.prune(policy, now: .test(1_000_000)) == 0)
            let kept = try await journal.changes(of: .store("busy"), after: 0, through: nil, limit: 100)
            #expect(kept.map(\.revision) == Array(2_490..<2_500))
            #expect(try await journal.floor(of: .store("busy")) == 2_490)
            #expect(try await journal.floor(of: .store("calm")) == 0)
            #expect(try await journal.floor(of: .board) == 2_490)
            #expect(try await journal.tail(100).count == 12)
            let none = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: nil, maximumChangesPerStore: 0)
            _ = try await journal.prune(none, now: .test(1_000_000))
            #expect(
                try await journal.changes(of: .board, after: 0, through: nil, limit: 100).map(\.sequence) == [
                    2_500, 2_501, 2_502,
                ])
            #expect(try await journal.append([.store("busy", 2_500)]).map(\.sequence) == [2_503])
        }
    }

    // K9
    @Test func `a journal in memory forgets by itself how stores came to where they are`() async throws {
        let journal = MemoryJournal(retention: RetentionPolicy(maximumChangesPerStore: 100))
        for revision in Int64(0)..<20_000 { _ = try await journal.append([.store("busy", revision)]) }
        let kept = await journal.changes(of: .store("busy"), after: 0, through: nil, limit: .max)
        #expect(kept.count < 10_000)
        #expect(kept.last?.revision == 19_999)
    }
}
