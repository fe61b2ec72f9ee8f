import Logging
import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

/// How a board looks after its journal, and says what becomes of it.
@Suite(.timeLimit(.minutes(15)))
struct JournalCareTests {
    private struct Cause: Error, CustomStringConvertible {
        let description = "/data/journal.sqlite: SQLite error 778 (disk I/O error)"
    }

    // C9
    @Test func `once the recorder is stopped nothing is written but what was on its way`() async throws {
        let gate = Gate()
        let fixture = try await BoardFixture.open([
            "steady": TestOperation { _, state in
                state.value = .working(step: 1)
                try await gate.pass(1)
                state.value = .resting(step: 2)
                state.value = .working(step: 3)
                try await Gate().pass()
            }
        ])
        let receipt = try await fixture.board.start("steady", input: [:], actor: "tester")
        try await fixture.published { $0.change.state.caseName == "working" }
        let attempts = fixture.journal.appends.count
        fixture.journal.hold()
        gate.open(1)
        await fixture.journal.attempts(attempts + 1)
        fixture.board.recorder.offer(
            .run(receipt.run), StateRecord(caseName: "more", phase: .active), cause: nil)
        fixture.board.recorder.stop()
        fixture.journal.release()
        await fixture.board.recorder.flush()
        #expect(fixture.journal.appends.count == attempts + 1)
        #expect(fixture.board.recorder.backlog > 0)
        // Neither by what adds to the journal beside it, such as an import.
        await #expect(throws: CancellationError.self) {
            try await fixture.board.recorder.whileNothingIsRecorded { Issue.record("it was written") }
        }
    }

    // K7
    @Test func `when recording ends and goes on is logged with the cause, which pages do not show`() async throws {
        let book = CapturedLog()
        let fixture = try await BoardFixture.open(["quick": .quick], logger: book.logger)
        fixture.journal.error = JournalError(.unavailable, "The journal cannot be written.", cause: Cause())
        let starting = Task { try await fixture.board.start("quick", input: [:], actor: "tester") }
        // The wait for the record, the wait once it is known that nothing is recorded, and the journal's next attempt.
        await fixture.clock.sleepers(3)
        fixture.clock.advance(by: .seconds(1))
        let run = try await starting.value.run
        await fixture.journal.attempts(2)
        await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(1))
        await fixture.journal.attempts(3)
        await fixture.clock.sleepers(1)
        guard case .notRecorded(_, let reason) = fixture.board.recording else { return #expect(Bool(false)) }
        #expect(!reason.contains("/data"))
        fixture.journal.error = nil
        fixture.clock.advance(by: .seconds(1))
        await fixture.board.outcome(of: run)
        let lines = book.lines.filter { $0.contains("ecording") }
        #expect(lines.count == 2)
        let cause = #"cause="/data/journal.sqlite: SQLite error 778 (disk I/O error)""#
        #expect(lines.first?.hasPrefix("error Not recording: The journal cannot be written. \(cause) since=") == true)
        #expect(lines.last?.hasPrefix("notice Recording again. cause=The journal cannot be written. since=") == true)
    }

    // K7
    @Test func `a journal whose files are gone is told while nothing happens, and that they are back`() async throws {
        let fixture = try await BoardFixture.open(["quick": .quick]) {
            $0.retention = nil
            $0.journalCheckInterval = .seconds(1)
        }
        await fixture.clock.sleepers(1)
        fixture.journal.verificationError = JournalError(.unavailable, "The files are gone.")
        fixture.clock.advance(by: .seconds(1))
        let failing = await fixture.board.recordingStatus.first { $0 != .recording }
        guard case .notRecorded(_, "The files are gone.") = failing else { return #expect(Bool(false)) }
        await fixture.clock.sleepers(1)
        fixture.journal.verificationError = nil
        fixture.clock.advance(by: .seconds(1))
        _ = await fixture.board.recordingStatus.first { $0 == .recording }
        await fixture.board.shutdown()
    }

    @Test func `what there is to know is shown and logged until somebody dismisses it`() async throws {
        let book = CapturedLog()
        let journal = JournalDouble()
        let first = JournalNotice(.damaged, at: Timestamp(milliseconds: 1), file: "journal.sqlite.damaged-1")
        let second = JournalNotice(.restored, at: Timestamp(milliseconds: 2))
        journal.notices = [first]
        let fixture = try await BoardFixture.open(["quick": .quick], on: journal, logger: book.logger) {
            $0.retention = nil
            $0.journalCheckInterval = .seconds(1)
        }
        #expect(fixture.board.notices == [first])
        journal.notices = [first, second]
        await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(1))
        _ = await fixture.board.currentNotices.first { $0 == [first, second] }
        #expect(try await fixture.board.dismissNotice(first.id))
        #expect(fixture.board.notices == [second])
        #expect(try await fixture.board.dismissNotice(first.id) == false)
        #expect(book.lines.count { $0.contains("journal.sqlite.damaged-1") } == 1)
        #expect(book.lines.count { $0.contains("They were restored") } == 1)
        await fixture.board.shutdown()
    }

    @Test(arguments: [JournalError.Code.corrupt, .unavailable])
    func `a journal that no board can be opened on is told so where it is damaged, and only there`(
        code: JournalError.Code
    ) async throws {
        let journal = JournalDouble()
        journal.readError = JournalError(code, "It cannot be read.")
        await #expect(throws: JournalError.self) {
            _ = try await BoardFixture.open(["quick": .quick], on: journal) { $0.retention = nil }
        }
        #expect(journal.isUnusable == (code == .corrupt))
    }
}
