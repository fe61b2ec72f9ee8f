import Testing
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// Steps that wait for a person: who decided, and what counts when nobody does.
@Suite(.timeLimit(.minutes(15))) struct StepDecisionTests {
    private let setup = StepsFixture()

    @Test(arguments: [true, false])
    func `a person approves or refuses, with name and comment`(_ isApproved: Bool) async throws {
        let fixture = try await setup.open(StepsPlan([StepsFixture.ask(), StepsFixture.echo("next", .text("x"))]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.steps.steps.first?.status == .asking }
        #expect(try await setup.progress(fixture, run).steps[0].prompt == "Is Ada fine?")
        let error = await #expect(throws: BoardError.self) {
            try await fixture.board.decide(run, step: "next", isApproved: true, actor: "vera")
        }
        #expect(error?.code == .notAsking)
        _ = try await fixture.board.decide(run, step: "ask", isApproved: isApproved, comment: "well", actor: "vera")
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        let decision = try await setup.progress(fixture, run).steps[0].decision
        #expect(decision == .init(isApproved: isApproved, by: "vera", comment: "well"))
        #expect(setup.begun["x"] == (isApproved ? 1 : 0))
        #expect(try await fixture.board.run(run).state.phase == (isApproved ? .succeeded : .failed))
        // What has just been published is taken from the list of runs a moment later.
        await fixture.board.outcome(of: run)
        let late = await #expect(throws: BoardError.self) {
            try await fixture.board.decide(run, step: "ask", isApproved: true, actor: "vera")
        }
        #expect(late?.code == .alreadyEnded)
        await fixture.board.shutdown()
    }

    @Test(arguments: [true, false])
    func `a decision that nobody takes in time is taken as the file says`(_ approves: Bool) async throws {
        let wall = MutableStateFlow<Int64>(1_000)
        let fixture = try await setup.open(StepsPlan([StepsFixture.ask(.zero, approves: approves)]), wall: wall)
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        #expect(try await setup.progress(fixture, run).steps[0].decision == .init(isApproved: approves, by: nil))
        #expect(try await fixture.board.run(run).state.phase == (approves ? .succeeded : .failed))
        await fixture.board.shutdown()
    }

    @Test func `the gallery shows a decision while somebody is asked, and any other step while it runs`() throws {
        let plan = StepsPlan([StepsFixture.ask(), StepsFixture.echo("next", .text("x"))])
        let samples = StepsOperation(plan, fields: []).stateSamples.map(\.steps.steps)
        let asking = try #require(samples.dropFirst().first)
        let running = try #require(samples.dropFirst(2).first)
        #expect(asking.map(\.status) == [.asking, .pending] && asking.first?.prompt != nil)
        #expect(running.map(\.status) == [.succeeded, .running])
        #expect(running.first?.decision?.isApproved == true && running.last?.run != nil)
    }
}
