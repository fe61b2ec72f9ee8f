import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// An operation whose states never say that they are the last one, whatever happens.
private struct Stubborn: StateOperation {
    enum State: OperationState {
        case working(step: Int)

        static var initial: Self { .working(step: 0) }
        static func failed(_ error: any Error) -> Self { .working(step: -1) }
        static func cancelled(from last: Self) -> Self { .working(step: -2) }
        static var samples: [Self] { [.initial] }
        var phase: Phase { .active }
    }

    func perform(_ input: TestInput, state: MutableStateFlow<State>) async throws { state.value = .working(step: 1) }
}

@Suite(.timeLimit(.minutes(15))) struct StubbornStateTests {
    @Test func `a run whose last state claims to go on ends as failed, and does not stand as active for ever`()
        async throws
    {
        var catalog = Catalog()
        catalog.add(Stubborn(), id: "stubborn", title: "Stubborn", summary: "A test.")
        let board = try await Board.open(
            catalog: catalog, journal: JournalDouble(), configuration: Board.Configuration(), clock: VirtualClock())
        let run = try await board.start("stubborn", input: [:], actor: "tester").run
        await board.outcome(of: run)
        await board.recorder.flush()
        let record = try await board.run(run)
        #expect(record.state.phase == .failed && record.endedAt != nil)
        #expect(try await board.journal.unfinishedRuns().isEmpty)
    }
}
