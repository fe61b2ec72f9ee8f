import Testing
import TestSupport
import WeirJournals

@testable import WeirPostgres

/// A database, or a pooler in front of it, that accepts connections and does not answer.
@Suite(.timeLimit(.minutes(15))) struct SilentDatabaseTests {
    @Test func `a database that accepts and never answers is given up, and callers that waited are told at once`()
        async throws
    {
        let silent = try await StallingListener { _ in .stall(.beforeHeader) }
        let address = try PostgresAddress("postgres://weir@127.0.0.1:\(silent.port)/weir?connect_timeout=2")
        let worker = PostgresWorker(address, name: "test", timeout: AnswerTimeout(.seconds(30))) { _ in }
        let begun = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    let failure = await #expect(throws: JournalError.self) { try await worker.run { _ in } }
                    #expect(failure?.code == .unavailable)
                }
            }
        }
        // Each would wait for two seconds.
        #expect(begun.duration(to: .now) < .seconds(20))
        await worker.close()
    }

    @Test func `a statement that is not answered counts as lost, sooner once the server shuts down`() async throws {
        let timeout = AnswerTimeout(.seconds(30))
        let sent = ContinuousClock.now
        #expect(timeout.deadline(of: sent) == sent + .seconds(30))
        timeout.hurry()
        let deadline = timeout.deadline(of: sent)
        #expect(deadline >= sent + AnswerTimeout.hurried && deadline < sent + .seconds(30))
        let late = ContinuousClock.now + .seconds(60)
        #expect(timeout.deadline(of: late) == late + AnswerTimeout.hurried)
        let short = AnswerTimeout(.seconds(1))
        short.hurry()
        #expect(short.deadline(of: sent) == sent + .seconds(1))
    }

    @Test func `a connection closes within seconds while the database works on something without an end`() async throws
    {
        let url = try PostgresServer.shared.get().database()
        let worker = PostgresWorker(try PostgresAddress(url), name: "test", timeout: AnswerTimeout(.seconds(3_600))) {
            _ in
        }
        try await worker.run { try $0.execute("SELECT 1") }
        let endless = Task { try await worker.run { try $0.execute("SELECT pg_sleep(3600)") } }
        try await until { worker.load == 1 }
        await worker.close()
        await #expect(throws: JournalError.self) { try await endless.value }
    }
}
