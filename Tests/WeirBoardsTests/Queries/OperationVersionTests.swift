import Logging
import TestSupport
import Testing
import WeirAccess
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

/// The versions of the file of an operation, which a comparison of two runs shows.
@Suite(.timeLimit(.minutes(15)))
struct OperationVersionTests {
    private final class Time: Sendable {
        private let milliseconds = Locked<Int64>(0)

        func next() -> Timestamp {
            milliseconds.withLock { milliseconds in
                milliseconds += 1
                return Timestamp(milliseconds: milliseconds)
            }
        }
    }

    private let time = Time()

    private func catalog(_ text: String) -> Catalog {
        var catalog = Catalog()
        catalog.add(TestOperation.quick, id: "job", title: "Job", summary: "A test.")
        catalog.declare("job", by: OperationDeclaration(text: text, digest: "digest of \(text)"))
        return catalog
    }

    /// Opens a board whose clock is a millisecond later at each look, so that no run begins at the moment of a version.
    private func open(_ text: String, _ journal: MemoryJournal) async throws -> Board {
        try await Board.open(catalog: catalog(text), journal: journal, now: { [time] in time.next() })
    }

    private func run(_ board: Board) async throws -> String {
        let run = try await board.start("job", input: [:], actor: "Ana").run
        await board.outcome(of: run)
        return run
    }

    @Test func `a file that changes between two runs is compared, also across a restart and a replacement`()
        async throws
    {
        let journal = MemoryJournal()
        let board = try await open("one\ntwo", journal)
        let first = try await run(board)
        await board.shutdown()
        let next = try await open("one\n2", journal)
        let second = try await run(next)
        let whole = VisibleBoard(whole: next)
        let change = try #require(try await whole.fileChange(of: next.comparison(of: first, with: second)))
        #expect(change.isChanged && change.diff?.count == 1 && change.lines?.second == ["one", "2"])
        try await next.replace(catalog("three"))
        let third = try await run(next)
        let later = try #require(try await whole.fileChange(of: next.comparison(of: second, with: third)))
        #expect(later.isChanged && later.lines?.first == ["one", "2"] && later.lines?.second == ["three"])
        let same = try #require(try await whole.fileChange(of: next.comparison(of: third, with: third)))
        #expect(!same.isChanged && same.first != nil)
        await next.shutdown()
    }

    @Test func `only those who administer the operation see the text of its file`() async throws {
        let journal = MemoryJournal()
        let board = try await open("a", journal)
        let first = try await run(board)
        try await board.replace(catalog("b"))
        let second = try await run(board)
        let sees = try await VisibleBoard(
            board, for: VisibleBoardTests.permissions([.see, .start], operations: ["job"], of: board))
        let change = try #require(try await sees.fileChange(of: board.comparison(of: first, with: second)))
        #expect(change.isChanged && change.lines == nil)
        await board.shutdown()
    }

    @Test func `the last eight versions are kept`() async throws {
        let journal = MemoryJournal()
        let board = try await open("0", journal)
        for number in 1...9 { try await board.replace(catalog("\(number)")) }
        #expect(await journal.note("operation-text job digest of 1") == nil)
        #expect(await journal.note("operation-text job digest of 2") == "2")
        await board.shutdown()
    }

    @Test func `a journal that several servers share has no text of a file, only that it changed`() async throws {
        let journal = SharedJournalDouble(await ClusterDouble(recording: "a"), node: "a")
        let versions = OperationVersions(
            journal: journal, now: { Timestamp(milliseconds: 1) }, logger: Logger(label: "test"))
        await versions.record(catalog("one"))
        await versions.record(catalog("two"))
        #expect(try await journal.note("operation-versions")?.contains("digest of two") == true)
        for text in ["one", "two"] { #expect(try await journal.note("operation-text job digest of \(text)") == nil) }
    }
}
