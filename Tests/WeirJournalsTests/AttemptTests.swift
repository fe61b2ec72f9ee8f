import TestSupport
import Testing
import WeirJournals
import WeirStates

@testable import WeirPostgres

@Suite(.timeLimit(.minutes(15))) struct AttemptTests {
    private func opening(_ run: String, operation: String = "upload", at: Int64 = 0, _ attempt: Int64) -> ChangeDraft {
        ChangeDraft(
            stream: .run(run), subject: operation, revision: 0, at: .test(at),
            state: StateRecord(caseName: "receiving", phase: .active), isTransition: true, cause: nil,
            opening: RunOpening(
                actor: "anna", input: [:], retryOf: attempt > 1 ? "gone" : nil, attempt: attempt))
    }

    @Test(arguments: JournalKind.allCases)
    func `the attempt of a run is kept, also in an export, and runs are found by it`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([opening("a", 1), opening("b", 2), opening("c", 7)])
            #expect(try await journal.run("c")?.opening.attempt == 7)
            #expect(try await journal.tail(9).map(\.draft.opening?.attempt) == [1, 2, 7])
            func ids(_ attempts: ClosedRange<Int64>) async throws -> [String] {
                var query = RunQuery()
                query.attempts = attempts
                return try await journal.runs(query).runs.map(\.id)
            }
            #expect(try await ids(1...1) == ["a"])
            #expect(try await ids(2...2) == ["b"])
            #expect(try await ids(2...Int64.max) == ["c", "b"])
            var lines: [String] = []
            _ = try await JournalExport(of: journal, created: .test(99)).runs(RunQuery()) { lines.append($0) }
            let attempts = try lines.map { try JSONValue(parsing: $0)["change"]?["opening"]?["attempt"]?.integer }
            #expect(attempts.compactMap { $0 } == [2, 7])
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `runs that began in a period are counted by operation and attempt`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([
                opening("a", at: 1, 1), opening("b", at: 2, 2), opening("c", at: 3, 2), opening("d", at: 4, 1),
                opening("e", operation: "login", at: 3, 1), opening("f", at: 5, 3),
            ])
            _ = try await journal.append([.step("b", 1, at: 9, phase: .succeeded)])
            #expect(
                try await journal.attempts(from: .test(2), to: .test(5)) == [
                    AttemptCount(operation: "login", attempt: 1, count: 1),
                    AttemptCount(operation: "upload", attempt: 1, count: 1),
                    AttemptCount(operation: "upload", attempt: 2, count: 2),
                ])
            #expect(try await journal.attempts(from: .test(6), to: .test(9)).isEmpty)
        }
    }

    @Test func `a database of an earlier version gets the attempts of its runs, and that version can still append`()
        async throws
    {
        let url = try PostgresServer.shared.get().database()
        let earlier = try await PostgresJournal.open(url, now: { .test(0) })
        _ = try await earlier.append([
            .opening("a"), .opening("b", retryOf: "a"), .opening("c", retryOf: "b"), .opening("d", retryOf: "gone"),
        ])
        await earlier.close()
        let connection = try PostgresServer.connection(url)
        try connection.execute(
            """
            ALTER TABLE weir.runs DROP COLUMN attempt; DROP TABLE weir.deletions; DROP INDEX weir.runs_of_steps;
            DROP FUNCTION weir.conceal; DELETE FROM weir.floors WHERE operation < 0; UPDATE weir.format SET number = 5
            """)
        let journal = try await PostgresJournal.open(url, now: { .test(0) })
        let attempts = try await journal.runs(RunQuery()).runs.map(\.opening.attempt)
        #expect(attempts == [2, 3, 2, 1])
        // The one function, whose last argument earlier versions leave out.
        let functions = try connection.all(
            "SELECT pronargs, pronargdefaults FROM pg_proc WHERE proname = 'append' AND pronamespace = 'weir'::regnamespace"
        ) { [$0.integer(0), $0.integer(1)] }
        #expect(functions == [[48, 1]])
        await journal.close()
    }
}
