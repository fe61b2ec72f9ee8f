import Testing
import TestSupport
@testable import WeirJournals
@testable import WeirPostgres
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct CopyTests {
    /// A journal with something in every table, retention and an import included.
    private func fill(_ journal: any Journal) async throws {
        for number in 0..<30 {
            _ = try await journal.append([
                .opening("r\(number)", at: Int64(number), key: "k\u{0}\(number)"),
                .step("r\(number)", 1, at: Int64(number) + 1, cause: "a\u{0}b", progress: WorkProgress(1, of: 2)),
                .store("cart", Int64(number)),
            ])
            let lines = [OutputDraft(at: .test(0), text: "line \u{0} \(number)", continues: true)]
            _ = try await journal.appendOutput(run: "r\(number)", lines: lines + lines, after: nil)
            if number % 3 > 0 { _ = try await journal.append([.step("r\(number)", 2, at: 99, phase: .succeeded)]) }
        }
        try await journal.addImported(
            [
                .change(.opening("i"), origin: ChangeOrigin(epoch: "x", sequence: 7)),
                .change(.step("i", 1, phase: .failed), origin: ChangeOrigin(epoch: "x", sequence: 8)),
            ], at: .test(7))
        try await journal.commitImport()
        _ = try await journal.report(
            [
                Report(
                    run: "reported", operation: "upload", reporter: "anna",
                    opening: RunOpening(actor: "anna", input: [:], report: RunReport(title: "x\u{0}")))
            ], at: .test(9))
        try await journal.setNote("here", "it is")
        _ = try await journal.prune(
            RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 12, maximumChangesPerStore: 10), now: .test(0))
    }

    private func withJournals(
        _ body: (any CopiedJournal, any CopiedJournal) async throws -> Void
    ) async throws {
        let url = try PostgresServer.shared.get().database()
        try await TemporaryFolder.with { folder in
            let file = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            let database = try await PostgresJournal.open(url, now: { .test(0) })
            try await body(file, database)
            await file.close()
            await database.close()
        }
    }

    @Test(arguments: [true, false])
    func `a copy is what the original is, and goes on from there`(toDatabase: Bool) async throws {
        try await withJournals { file, database in
            let (source, target) = toDatabase ? (file, database) : (database, file)
            try await fill(source)
            let summary = try await JournalCopy(of: source, into: target).run()
            #expect(summary.runs == 12 + 1 + 10 + 1)
            #expect(try await target.head() == source.head())
            #expect(target.epoch != source.epoch)
            for topic in [Topic.board, .operation("upload"), .store("cart"), .run("gone")] {
                #expect(try await target.floor(of: topic) == source.floor(of: topic))
            }
            #expect(try await target.note("here") == "it is")
            #expect(try await target.note(JournalCopy.note) == nil)
            let found = try await target.runs(RunQuery(text: "line 29"))
            #expect(try await found == source.runs(RunQuery(text: "line 29")))
            #expect(found.runs.count == 1)
            let head = try await source.head()
            for journal in [source, target] {
                let changes = try await journal.append([
                    .opening("new", operation: "other", actor: "ben"), .store("cart", 30), .step("r0", 2),
                ])
                #expect(changes.first?.sequence == head.next)
                let old = try await journal.forecast(RetentionPolicy(maximumAge: 1), now: .test(8), after: 0)
                #expect(old.kept == 13)
            }
            #expect(try await source.counts() == target.counts())
        }
    }

    @Test(arguments: [true, false])
    func `a copy that was interrupted goes on where it was`(toDatabase: Bool) async throws {
        try await withJournals { file, database in
            let (source, target) = toDatabase ? (file, database) : (database, file)
            try await fill(source)
            let interrupted = Task {
                try await JournalCopy(of: source, into: target).run { _, _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: CancellationError.self) { _ = try await interrupted.value }
            #expect(try await target.note(JournalCopy.note) == source.epoch)
            #expect(try await target.lastKey(of: JournalTable.all[1]) != nil)
            #expect(try await JournalCopy(of: source, into: target).run().changes > 0)
            #expect(try await target.head() == source.head())
        }
    }

    @Test func `a copy into a journal that holds anything else is refused`() async throws {
        try await withJournals { file, database in
            _ = try await file.append([.opening("a")])
            _ = try await database.append([.opening("b")])
            #expect(try await code { try await JournalCopy(of: file, into: database).run() } == .conflict)
        }
    }
}
