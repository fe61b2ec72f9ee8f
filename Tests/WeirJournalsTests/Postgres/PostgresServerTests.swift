import Testing
import TestSupport
@testable import WeirJournals

@testable import WeirPostgres

/// What happens when the database, its connections or its other users do what they must not.
@Suite(.timeLimit(.minutes(15))) struct PostgresServerTests {
    private func open(_ url: String, patience: Duration = .zero) async throws -> PostgresJournal {
        try await PostgresJournal.open(url, configuration: .init(patience: patience), now: { .test(0) })
    }

    /// Opens it once the database has seen that the connection of the server before is closed: that takes it a moment.
    private func reopen(_ url: String) async throws -> PostgresJournal { try await open(url, patience: .seconds(60)) }

    // K3
    @Test func `a database that is killed in the middle of appends loses nothing and doubles nothing`() async throws {
        let server = try PostgresServer()
        let journal = try await open(try server.database())
        _ = try await journal.append([.opening("a")])
        for round in 0..<4 {
            let first = Int64(round * 60)
            async let recorded: Void = record(first + 1...first + 60, in: journal)
            try await until { try await !isBehind(first + 10, journal) }
            try server.kill()
            try server.start()
            try await recorded
        }
        let changes = try await journal.changes(of: .run("a"), after: 0, through: nil, limit: 1_000)
        #expect(changes.map(\.revision) == Array(0...240))
        #expect(changes.map(\.sequence) == Array(1...241))
        await journal.close()
    }

    /// Whether a run has not come as far; a database that is away counts as being behind.
    private func isBehind(_ revision: Int64, _ journal: PostgresJournal) async throws -> Bool {
        do { return try await journal.run("a")?.revision ?? 0 < revision } catch is JournalError { return true }
    }

    /// Appends one change after the other, and repeats what was refused, as a recorder does.
    private func record(_ revisions: ClosedRange<Int64>, in journal: PostgresJournal) async throws {
        for revision in revisions {
            try await until {
                do {
                    _ = try await journal.append([.step("a", revision, at: revision, isTransition: false)])
                    return true
                } catch let error as JournalError where error.code == .outOfOrder {
                    // It was recorded, and the answer was lost with the connection.
                    guard try await journal.run("a")?.revision == revision else { throw error }
                    return true
                } catch is JournalError {
                    return false
                }
            }
        }
    }

    // K3
    @Test func `a call whose answer was lost is repeated and gets the numbers that it got`() async throws {
        let url = try PostgresServer.shared.get().database()
        let journal = try await open(url)
        _ = try await journal.append([.opening("a")])
        let session = try journal.writing()
        var call = AppendCall()
        try call.add(.step("a", 1))
        call.add([OutputDraft(at: .test(1), text: "x")], to: "a")
        let values = try call.values(node: session.node, fence: session.fence, batch: 77)
        let other = try PostgresServer.connection(url)
        for _ in 0..<3 {
            let answer = try other.first(AppendCall.statement, values) { (try $0.sequence(0), $0.integers(1)) }
            #expect(answer?.0 == 1)
            #expect(answer?.1 == [1])
        }
        #expect(try await journal.head() == 2)
        #expect(try await journal.outputCount(of: "a") == 1)
        await journal.close()
    }

    @Test func `a second server is refused, and may come once the first has left`() async throws {
        let url = try PostgresServer.shared.get().database()
        let journal = try await open(url)
        #expect(try await code { try await open(url) } == .locked)
        let reader = try await PostgresJournal.open(url, configuration: .init(isReadOnly: true))
        #expect(try await code { try await reader.append([.opening("b")]) } == .readOnly)
        await reader.close()
        _ = try await journal.append([.opening("a")])
        await journal.close()
        let next = try await reopen(url)
        #expect(next.epoch == journal.epoch)
        #expect(try await next.run("a") != nil)
        await next.close()
    }

    @Test func `a check of the journal fails as long as the database only reads`() async throws {
        let url = try PostgresServer.shared.get().database()
        let journal = try await open(url)
        let other = try PostgresServer.connection(url)
        let name = try #require(try other.first("SELECT current_database()::text") { $0.text(0) })
        try other.execute("ALTER DATABASE \"\(name)\" SET default_transaction_read_only = on")
        try other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> pg_backend_pid()"
        )
        #expect(try await code { try await journal.verify() } == .readOnly)
        try other.execute("ALTER DATABASE \"\(name)\" RESET default_transaction_read_only")
        try await journal.verify()
        await journal.close()
    }

    @Test func `a server that was replaced records nothing any more`() async throws {
        let url = try PostgresServer.shared.get().database()
        let journal = try await open(url)
        _ = try await journal.append([.opening("a")])
        let other = try PostgresServer.connection(url)
        try other.execute("UPDATE weir.journal SET fence = fence + 1")
        #expect(try await code { try await journal.append([.step("a", 1)]) } == .locked)
        #expect(try await code { try await journal.verify() } == .locked)
        #expect(try await journal.run("a")?.revision == 0)
        await journal.close()
    }

    @Test(arguments: ["connect_timeout=soon", "target_session_attrs=often"])
    func `a value of the URL that libpq does not accept is not taken for a database that cannot be reached`(
        parameter: String
    ) async throws {
        let url = try PostgresServer.shared.get().database()
        let error = await #expect(throws: JournalError.self) { try await open("\(url)&\(parameter)") }
        #expect(error?.description.contains("has a value that PostgreSQL does not accept") == true)
    }

    // K8
    @Test(arguments: [false, true])
    func `a database that has lost changes continues as another history after a restart`(
        _ isLockHeld: Bool
    ) async throws {
        let url = try PostgresServer.shared.get().database()
        let journal = try await open(url)
        _ = try await journal.append([.opening("a")])
        _ = try await journal.append([.step("a", 1), .step("a", 2)])
        // As on a replica that had not got the last transaction.
        let other = try PostgresServer.connection(url)
        try other.execute(
            """
            DELETE FROM weir.changes WHERE sequence > 1; UPDATE weir.runs SET sequence = 1, revision = 0;
            DELETE FROM weir.batches WHERE first = 1; UPDATE weir.journal SET head = 1;
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()
            """)
        if isLockHeld {
            // As the connection that broke does, until the database has noticed.
            let holder = try PostgresServer.connection(url)
            try holder.execute("SELECT pg_advisory_lock(\(PostgresSchema.server))")
            async let refusal = code { try await journal.append([.step("a", 3)]) }
            try await until {
                try other.first(
                    """
                    SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                        WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted)
                    """
                ) { $0.isTrue(0) } == true
            }
            try holder.execute("SELECT pg_advisory_unlock(\(PostgresSchema.server))")
            #expect(try await refusal == .corrupt)
        }
        #expect(try await code { try await journal.append([.step("a", 3)]) } == .corrupt)
        #expect(try await code { try await journal.append([.step("a", 3)]) } == .corrupt)
        await journal.close()
        let next = try await reopen(url)
        #expect(next.epoch != journal.epoch)
        #expect(next.notices.map(\.kind) == [.lost])
        #expect(next.notices.first?.lost == 2...3)
        #expect(try await next.append([.step("a", 1)]).first?.sequence == 4)
        let notice = try #require(next.notices.first)
        #expect(try await next.dismissNotice(notice.id))
        #expect(next.notices == [])
        await next.close()
    }

    @Test func `an import that was interrupted is rolled back when the journal is opened`() async throws {
        let url = try PostgresServer.shared.get().database()
        let journal = try await open(url)
        try await journal.addImported(
            [.change(.opening("a"), origin: ChangeOrigin(epoch: "x", sequence: 7))], at: .test(5))
        #expect(try await journal.run("a") != nil)
        await journal.close()
        let next = try await reopen(url)
        #expect(try await next.run("a") == nil)
        #expect(next.undoneRuns == 1)
        #expect(try await next.floor(of: .board) == 2)
        await next.close()
    }

    @Test func `a read that takes long keeps no other one waiting`() async throws {
        let url = try PostgresServer.shared.get().database()
        let journal = try await PostgresJournal.open(
            url, configuration: .init(timeout: .seconds(90)), now: { .test(0) })
        _ = try await journal.append([.opening("a")])
        let other = try PostgresServer.connection(url)
        try other.execute("SELECT pg_advisory_lock(7)")
        // It takes until the other one is answered; the database refuses it if that takes half a minute.
        async let long: Void = journal.read { try $0.execute("SELECT pg_advisory_xact_lock(7)") }
        try await until {
            try other.first(
                """
                SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted)
                """
            ) { $0.isTrue(0) } == true
        }
        #expect(try await journal.run("a") != nil)
        try other.execute("SELECT pg_advisory_unlock(7)")
        try await long
        await journal.close()
    }

    // MARK: Words

    @Test func `a URL that cannot be used is explained without its password`() async throws {
        let server = try PostgresServer.shared.get()
        let url = try server.database()
        let urls = [
            "postgres://anna:hunter2@[/x", "postgres://anna:hunter2@/none?host=/nowhere",
            url.replacing("weir@", with: "weir:hunter2@").replacing("?", with: "none?"),
            url.replacing("weir@", with: "nobody:hunter2@"),
        ]
        for url in urls {
            do {
                _ = try await open(url)
                Issue.record("\(url) can be used")
            } catch let error as JournalError {
                #expect(!"\(error) \(error.cause.map { "\($0)" } ?? "")".contains("hunter2"))
                #expect(error.description.hasSuffix(".") && !error.description.contains("SELECT"))
            }
        }
    }

    @Test func `a database in another encoding is refused with what to do`() async throws {
        let url = try PostgresServer.shared.get().database("-T template0 -E SQL_ASCII")
        let error = await #expect(throws: JournalError.self) { _ = try await open(url) }
        #expect(error?.description.contains("createdb -E UTF8") == true)
    }

    @Test func `tables of a newer version are left alone`() async throws {
        let url = try PostgresServer.shared.get().database()
        await (try open(url)).close()
        try PostgresServer.connection(url).execute("UPDATE weir.format SET number = 99, minimum = 98")
        #expect(try await code { try await open(url) } == .tooNew)
    }
}
