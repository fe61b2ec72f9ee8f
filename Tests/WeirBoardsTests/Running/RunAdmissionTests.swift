import Testing
import TestSupport
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct RunAdmissionTests {
    private func claim(_ operation: String, _ actor: String = "a") -> RunAdmission.Claim {
        RunAdmission.Claim(operation: operation, actor: actor)
    }

    private func fill(_ machine: inout RunAdmission, _ count: Int, _ claim: (Int) -> RunAdmission.Claim) -> Int {
        (0..<count).count { machine.admit(claim($0)) == nil }
    }

    @Test func `one operation takes no more than its limit, and all others can be started`() {
        var machine = RunAdmission(RunLimits(total: 1_000, perOperation: 500, perActor: 250), operations: 6)
        #expect(fill(&machine, 1_100) { claim("http-request", "actor \($0 / 100)") } == 500)
        #expect(machine.admit(claim("http-request", "somebody else")) == .operation(500))
        #expect(machine.admit(claim("greeting", "actor 1")) == nil)
    }

    @Test func `one actor takes no more than the limit, whatever is started, and others can start the same`() {
        var machine = RunAdmission(RunLimits(total: 1_000, perOperation: 500, perActor: 250), operations: 6)
        #expect(fill(&machine, 1_100) { claim("operation \($0 % 3)", "api") } == 250)
        #expect(machine.admit(claim("operation 5", "api")) == .actor(250))
        #expect(machine.admit(claim("operation 0", "ada")) == nil)
    }

    @Test func `a schedule that has taken the limit of an actor leaves the others theirs`() {
        var machine = RunAdmission(RunLimits(total: 1_000, perOperation: 500, perActor: 250), operations: 6)
        #expect(fill(&machine, 300) { _ in claim("hanging", ScheduledStart.actor) } == 250)
        #expect(machine.admit(claim("nightly", ScheduledStart.actor)) == nil)
    }

    @Test func `when several operations have taken all they can, each of the others still has its share`() {
        var machine = RunAdmission(RunLimits(total: 1_000, perOperation: 500, perActor: 5_000), operations: 6)
        #expect(fill(&machine, 3_000) { claim("operation \($0 % 2)") } == 920)
        #expect(machine.admit(claim("operation 0")) == .kept(920))
        for other in 2..<6 { #expect(fill(&machine, 100) { _ in claim("operation \(other)") } == 16) }
        #expect(machine.count == 984)
    }

    @Test func `a place that is given back can be taken again, and giving back more than was taken does nothing`() {
        var machine = RunAdmission(RunLimits(total: 2, perOperation: 2, perActor: 1), operations: 1)
        machine.release(claim("x"))
        #expect(machine.admit(claim("x")) == nil && machine.admit(claim("x")) == .actor(1))
        #expect(machine.admit(claim("x", "b")) == nil && machine.admit(claim("x", "c")) == .operation(2))
        machine.release(claim("x"))
        #expect(machine.count == 1 && machine.admit(claim("x", "c")) == nil)
    }

    @Test(arguments: [0, -1, 1, 2, 3, Int.max])
    func `limits of any size admit at least one run and none too many`(limit: Int) {
        var machine = RunAdmission(RunLimits(total: limit, perOperation: limit, perActor: limit), operations: 6)
        #expect(machine.admit(claim("x")) == nil)
        #expect(fill(&machine, 5) { claim("\($0)") } <= max(limit, 1) - 1)
    }

    @Test func `in any order of starts and ends no limit is passed, and no operation is refused below its share`() {
        for seed in UInt64(0)..<60 {
            var random = SeededGenerator(seed: seed)
            let operations = Int.random(in: 1...8, using: &random)
            let total = Int.random(in: 20...300, using: &random)
            let limits = RunLimits(
                total: total, perOperation: .random(in: 5...total, using: &random),
                perActor: .random(in: 5...total, using: &random))
            let share = max(total / 10 / operations, 1)
            var machine = RunAdmission(limits, operations: operations)
            var going: [RunAdmission.Claim] = []
            for _ in 0..<3_000 {
                if Int.random(in: 0..<5, using: &random) == 0, !going.isEmpty {
                    machine.release(going.remove(at: .random(in: 0..<going.count, using: &random)))
                    continue
                }
                // Some operations and actors are much busier than others.
                let number = min(
                    Int.random(in: 0..<operations, using: &random), .random(in: 0..<operations, using: &random))
                let wanted = claim("\(number)", "\(Int.random(in: 0..<4, using: &random))")
                let mine = going.count { $0.operation == wanted.operation }
                let byActor = going.count { $0.actor == wanted.actor }
                switch machine.admit(wanted) {
                case nil:
                    going.append(wanted)
                    #expect(going.count <= total && mine < limits.perOperation && byActor < limits.perActor)
                case .operation(let count): #expect(count == mine && mine == limits.perOperation)
                case .actor(let count): #expect(count == byActor && byActor == limits.perActor)
                case .full(let count): #expect(count == going.count && count == total && mine >= share)
                case .kept(let count): #expect(count == going.count && count < total && mine >= share)
                }
            }
            #expect(machine.count == going.count)
        }
    }

    // MARK: On a board

    private func refusal(_ body: () async throws -> Void) async -> BoardError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? BoardError
        }
    }

    @Test func `a start beyond a limit is refused in words, and a place is free again once a run has ended`()
        async throws
    {
        let fixture = try await BoardFixture.open(["endless": .endless, "other": .endless]) {
            $0.retention = nil
            $0.maximumActiveRunsPerOperation = 2
            $0.maximumActiveRunsPerActor = 3
        }
        let first = try await fixture.board.start("endless", input: [:], actor: "ada")
        _ = try await fixture.board.start("endless", input: [:], actor: "ada")
        let ofOperation = await refusal { _ = try await fixture.board.start("endless", input: [:], actor: "eve") }
        #expect(ofOperation?.code == .limitReached)
        #expect(
            ofOperation?.description == "2 runs of “endless” are active, which is the limit of one operation. "
                + "Wait until some have ended, or cancel them.")
        _ = try await fixture.board.start("other", input: [:], actor: "ada")
        let ofActor = await refusal { _ = try await fixture.board.start("other", input: [:], actor: "ada") }
        #expect(ofActor?.code == .limitReached && ofActor?.description.contains("“ada” started") == true)
        let ofSchedule = BoardError(.actor(250), of: .init(operation: "nightly", actor: ScheduledStart.actor))
        #expect(ofSchedule.description.contains("250 runs that the schedule of “nightly” started are active"))
        _ = try await fixture.board.start("other", input: [:], actor: "eve")
        _ = try await fixture.board.cancel(first.run, actor: "ada")
        _ = try await fixture.board.start("endless", input: [:], actor: "ada")
    }

    @Test func `a start that is refused by its operation, or that joins a run, keeps no place`() async throws {
        for policy in [ReentryPolicy.ignore, .joinExisting] {
            let fixture = try await BoardFixture.open(["endless": .endless], reentry: policy) {
                $0.retention = nil
                $0.maximumActiveRuns = 2
            }
            let first = try await fixture.board.start("endless", input: [:], actor: "ada")
            for _ in 0..<5 {
                _ = await refusal { _ = try await fixture.board.start("endless", input: [:], actor: "ada") }
            }
            _ = try await fixture.board.cancel(first.run, actor: "ada")
            _ = try await fixture.board.start("endless", input: [:], actor: "ada")
        }
    }

    // G5
    @Test func `what runs because somebody watches takes no place from others, and needs none`() async throws {
        let fixture = try await BoardFixture.open(["iss": .endless], lifetime: .whileWatched()) {
            $0.retention = nil
            $0.maximumActiveRuns = 1
        }
        let watch = fixture.board.watch(.board)
        try await fixture.published { $0.change.state.caseName == "working" }
        _ = try await fixture.board.start("iss", input: [:], actor: "ada")
        #expect(
            await refusal { _ = try await fixture.board.start("iss", input: [:], actor: "ada") }?.code == .overloaded)
        watch.release()
    }
}
