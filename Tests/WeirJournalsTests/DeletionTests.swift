import Foundation
import Synchronization
import Testing
import TestSupport
import WeirJournals
@testable import WeirPostgres
import WeirStates

/// The deletion of single runs, which leaves everything else as it was.
@Suite(.timeLimit(.minutes(15))) struct DeletionTests {
    /// Three ended runs and one that goes on, each with a line of output; b is among the others' changes.
    private func fill(_ journal: any Journal) async throws {
        _ = try await journal.append([
            .opening("a", at: 1), .opening("b", operation: "login", at: 2), .opening("c", at: 3), .opening("d", at: 4),
        ])
        for run in ["a", "b", "c", "d"] {
            _ = try await journal.appendOutput(
                run: run, lines: [OutputDraft(at: .test(5), text: "secret of \(run)")], after: nil)
        }
        _ = try await journal.append([
            .step("a", 1, at: 6, phase: .succeeded), .step("b", 1, operation: "login", at: 7, phase: .failed),
            .step("c", 1, at: 8, phase: .succeeded),
        ])
    }

    private let anna = "anna"

    // K9
    @Test(arguments: JournalKind.allCases)
    func `a deleted run is gone from every read, in one place of the order, and nothing else is`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            let deletion = RunDeletion(sequence: 8, run: "b", operation: "login", at: .test(9), actor: anna)
            #expect(try await journal.delete("b", by: anna, at: .test(9)) == .deleted([deletion]))
            #expect(try await journal.run("b") == nil)
            #expect(try await journal.past(of: "b", at: nil, transitions: 9) == nil)
            #expect(try await journal.output(of: "b", after: 0, limit: 9).isEmpty)
            #expect(try await journal.changes(of: .run("b"), after: 0, through: nil, limit: 9).isEmpty)
            #expect(try await journal.runs(RunQuery()).runs.map(\.id) == ["d", "c", "a"])
            #expect(try await journal.runs(RunQuery(operation: "login")).runs.isEmpty)
            // The output of a run is searched once it has ended.
            #expect(try await journal.runs(RunQuery(text: "secret")).runs.map(\.id) == ["c", "a"])
            #expect(try await journal.counts().map(\.operation) == ["upload", "upload"])
            let kept = try await journal.changes(of: .board, after: 0, through: nil, limit: 99)
            #expect(kept.map(\.sequence) == [1, 3, 4, 5, 7])
            // The deletion has the next sequence, every reader of its topics detects it, and no other topic's does.
            #expect(try await journal.head() == 8)
            #expect(try await journal.floor(of: .board) == 8)
            #expect(try await journal.floor(of: .operation("login")) == 8)
            #expect(try await journal.floor(of: .operation("upload")) == 0)
            #expect(try await journal.pruned(of: .board) == 0)
            #expect(try await journal.pruned(of: .operation("login")) == 0)
            #expect(try await journal.append([.step("d", 1, at: 10, phase: .succeeded)]).map(\.sequence) == [9])
            #expect(try await journal.deletion(of: "b") == deletion)
            #expect(try await journal.deletion(of: "a") == nil)
            #expect(try await journal.deletions(after: 0, through: .max, limit: 9) == [deletion])
            #expect(try await journal.deletions(after: 8, through: .max, limit: 9).isEmpty)
            #expect(try await journal.deletions(after: 0, through: 7, limit: 9).isEmpty)
            #expect(try await journal.delete("b", by: "ben", at: .test(11)) == .unknown)
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `the runs of its steps go with a run, and none of them alone or while one is active`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([
                .opening("whole", operation: "release"), .opening("one", key: "step whole build 1"),
                .opening("two", operation: "release", key: "step whole test 1"),
                .opening("inner", key: "step two unit 1"), .opening("other", key: "step wholesale build 1"),
                .step("one", 1, phase: .succeeded), .step("two", 1, operation: "release", phase: .succeeded),
                .step("whole", 1, operation: "release", phase: .succeeded), .step("other", 1, phase: .succeeded),
            ])
            #expect(try await journal.delete("whole", by: anna, at: .test(1)) == .active("inner"))
            #expect(try await journal.head() == 9)
            _ = try await journal.append([.step("inner", 1, phase: .failed)])
            #expect(try await journal.delete("inner", by: anna, at: .test(1)) == .step(of: "two"))
            #expect(try await journal.delete("one", by: anna, at: .test(1)) == .step(of: "whole"))
            guard case .deleted(let deletions) = try await journal.delete("whole", by: anna, at: .test(1)) else {
                Issue.record("not deleted")
                return
            }
            #expect(deletions.first?.run == "whole")
            #expect(Set(deletions.map(\.run)) == ["whole", "one", "two", "inner"])
            #expect(deletions.map(\.sequence) == [11, 12, 13, 14])
            #expect(try await journal.runs(RunQuery()).runs.map(\.id) == ["other"])
            // The step of a run that is not kept is a run of its own.
            guard case .deleted = try await journal.delete("other", by: anna, at: .test(2)) else {
                Issue.record("not deleted")
                return
            }
            #expect(try await journal.counts().isEmpty)
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `the id of a deleted run stays reserved for its reporter`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let opening = RunOpening(actor: anna, input: [:], report: RunReport(title: nil))
            let report = Report(
                run: "r", operation: "nightly", reporter: anna, opening: opening, ending: .closed(nil))
            #expect(try await journal.report([report], at: .test(0)).map(\.outcome) == [.taken])
            _ = try await journal.delete("r", by: anna, at: .test(9))
            #expect(try await journal.report([report], at: .test(10)).map(\.outcome) == [.removedRun])
            // Another run of the same id, such as an imported one, hides the deletion.
            try await fill(journal)
            _ = try await journal.delete("a", by: anna, at: .test(11))
            _ = try await journal.append([.opening("a", at: 12)])
            #expect(try await journal.deletion(of: "a") == nil)
            #expect(try await journal.deletions(after: 0, through: .max, limit: 9).map(\.run) == ["r", "a"])
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `retention continues to count and to raise floors beside deletions`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            _ = try await journal.delete("c", by: anna, at: .test(9))
            let policy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 0)
            #expect(try await journal.forecast(policy, now: .test(99), after: 0).kept == 2)
            #expect(try await journal.prune(policy, now: .test(99)) == 2)
            #expect(try await journal.pruned(of: .board) == 6)
            #expect(try await journal.pruned(of: .operation("upload")) == 5)
            #expect(try await journal.floor(of: .board) == 8)
            #expect(try await journal.runs(RunQuery()).runs.map(\.id) == ["d"])
        }
    }

    // K8, K9
    @Test(arguments: JournalKind.allCases)
    func `an import leaves out deleted runs, unless it is to restore them`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            var lines: [String] = []
            _ = try await JournalExport(of: journal, created: .test(9)).runs(RunQuery()) { lines.append($0) }
            _ = try await journal.delete("b", by: anna, at: .test(9))
            let file = lines
            let open: JournalImport.Opening = {
                let rest = Mutex(file[...])
                return { rest.withLock { $0.popFirst() } }
            }
            let report = try await JournalImport(into: journal, at: .test(10)).lines(open)
            #expect(report.deleted == ["b"])
            #expect(report.imported.isEmpty)
            #expect(report.skipped == ["a", "c", "d"])
            #expect(report.changes == 0 && report.lines == 0)
            let restored = try await JournalImport(into: journal, at: .test(11), restoringDeleted: true).lines(open)
            #expect(restored.imported == ["b"])
            #expect(try await journal.output(of: "b", after: 0, limit: 9).map(\.text) == ["secret of b"])
            #expect(try await journal.deletion(of: "b") == nil)
        }
    }

    // K3, K9
    @Test func `a file keeps its deletions, its check explains them, and a copy in a database has them`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            var journal = try await SQLiteJournal.open(at: path, now: .test(0))
            try await fill(journal)
            _ = try await journal.delete("b", by: anna, at: .test(9))
            _ = try await journal.append([.opening("e", at: 10)])
            await journal.close()
            let file = try ForeignConnection(path: path)
            for table in ["changes", "output"] {
                #expect(try file.number("SELECT count(*) FROM \(table) WHERE stream = 2") == 0)
            }
            #expect(try JournalInspection.check(path: path).faults.isEmpty)
            journal = try await SQLiteJournal.open(at: path, now: .test(11))
            #expect(try await journal.deletion(of: "b")?.actor == anna)
            let copy = try await PostgresJournal.open(
                try PostgresServer.shared.get().database(), now: { .test(0) })
            _ = try await JournalCopy(of: journal, into: copy).run()
            #expect(try await copy.deletions(after: 0, through: .max, limit: 9).map(\.run) == ["b"])
            #expect(try await copy.head() == 9)
            #expect(try await copy.pruned(of: .board) == 0)
            await copy.close()
            await journal.close()
        }
    }

    // K9
    @Test func `pruning overwrites what an interrupted deletion has left in the file`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            var journal = try await SQLiteJournal.open(at: path, now: .test(0))
            try await fill(journal)
            // The process ends before it removes the rows.
            _ = try await journal.delete(["b"], by: anna, at: .test(9))
            await journal.close()
            journal = try await SQLiteJournal.open(at: path, now: .test(10))
            let nothing = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: nil)
            #expect(try await journal.prune(nothing, now: .test(10)) == 0)
            await journal.close()
            let bytes = try Data(contentsOf: URL(filePath: path))
            #expect(bytes.range(of: Data("secret of a".utf8)) != nil)
            #expect(bytes.range(of: Data("secret of b".utf8)) == nil)
        }
    }

    // K3
    @Test func `the check of a file finds a change that no deletion explains, and what a deletion has left`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(at: path, now: .test(0))
            try await fill(journal)
            _ = try await journal.delete("b", by: anna, at: .test(9))
            await journal.close()
            try ForeignConnection(path: path).execute("UPDATE journal SET head = head + 1")
            let gap = try JournalInspection.check(path: path).faults
            #expect(gap == ["sequences that neither a change nor a deletion explains: 1"])
            try ForeignConnection(path: path).execute(
                """
                UPDATE journal SET head = head - 1;
                INSERT INTO output (stream, number, at, channel, continues, text) VALUES (2, 1, 0, 1, 0, 'left')
                """)
            let left = try JournalInspection.check(path: path).faults
            #expect(left == ["deleted runs that are not entirely removed: 1"])
        }
    }
}
