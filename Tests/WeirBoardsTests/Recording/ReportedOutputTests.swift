import Testing
import TestSupport
import WeirJournals
import WeirStates

@testable import WeirBoards

/// The lines that programs elsewhere send of their runs.
@Suite(.timeLimit(.minutes(15))) struct ReportedOutputTests {
    private func report(_ lines: [String], opening: RunOpening? = nil) -> Report {
        Report(
            run: "a", operation: "deploy", reporter: "anna", opening: opening,
            entries: lines.map { .line($0, .standardOutput) })
    }

    @Test func `of many lines that the journal took without saying so the newest are shown, without a gap`()
        async throws
    {
        let fixture = try await BoardFixture.open { configuration in
            configuration.retention = nil
            configuration.reportsUndeclared = true
        }
        let opening = RunOpening(actor: "anna", input: [:], report: RunReport(title: nil))
        _ = try await fixture.board.report(report([], opening: opening))
        _ = try await fixture.board.report(report(["first"]))
        let unsaid = (1...OutputTail.lineLimit + 100).map { "line \($0)" }
        fixture.journal.failAfterAppending()
        await #expect(throws: BoardError.self) { try await fixture.board.report(report(unsaid)) }
        _ = try await fixture.board.report(report(["last"]))
        let tail = try #require(fixture.board.feed.output(of: "a"))
        #expect(tail.head == SequenceNumber(clamping: unsaid.count + 2))
        #expect(tail.lines.map(\.text) == (unsaid + ["last"]).suffix(OutputTail.lineLimit))
        await fixture.board.shutdown()
    }
}
