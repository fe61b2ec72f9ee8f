import Testing
import WeirJournals
import WeirOperations

@testable import WeirBoards

/// Which step comes next, and what becomes of the whole.
struct StepsMachineTests {
    private let at = Timestamp(milliseconds: 0)
    private let plan = StepsPlan([
        .init("copy", .run(operation: "a", input: [:])),
        .init("ask", .approval(.init(prompt: StepValue([.text("?")])))),
        .init("switch", .run(operation: "b", input: [:])),
        .init("roll-back", .run(operation: "c", input: [:]), afterFailureOf: ["switch"]),
    ])

    private func machine(_ statuses: [StepsProgress.Status]) throws -> StepsMachine {
        var machine = try #require(StepsMachine(plan))
        for (index, status) in statuses.enumerated() {
            let ending: StepsProgress.Ending? =
                switch status {
                case .failed: .init(.stepFailed, step: plan.steps[index].name)
                case .cancelled: .init(.stepCancelled, step: plan.steps[index].name)
                default: nil
                }
            machine.end(index, status, at: at, ending)
        }
        return machine
    }

    @Test func `steps come one after the other, and the whole succeeds with the last`() throws {
        var machine = try machine([])
        #expect(machine.next() == [.init(0, attempt: 1)])
        machine = try self.machine([.succeeded, .succeeded])
        #expect(machine.next() == [.init(2, attempt: 1)])
        machine = try self.machine([.succeeded, .succeeded, .succeeded])
        #expect(machine.next() == [])
        #expect(machine.progress.steps.last?.status == .skipped)
        #expect(machine.end.name == "succeeded")
    }

    @Test func `a step that only follows a failure comes after it, and the whole fails`() throws {
        var machine = try machine([.succeeded, .succeeded, .failed])
        #expect(machine.next() == [.init(3, attempt: 1)])
        machine.end(3, .succeeded, at: at, nil)
        #expect(machine.next() == [])
        #expect(machine.end.name == "failed")
        #expect(machine.progress.message == "The step “switch” failed.")
    }

    @Test func `after another failure than its own it does not come`() throws {
        var machine = try machine([.failed])
        #expect(machine.next() == [])
        #expect(machine.progress.steps.map(\.status) == [.failed, .skipped, .skipped, .skipped])
    }

    @Test func `a cancelled step ends the whole as cancelled`() throws {
        var machine = try machine([.cancelled])
        #expect(machine.next() == [])
        #expect(machine.end.name == "cancelled")
    }

    @Test func `another attempt takes over what succeeded up to the first step that did not`() throws {
        var machine = try machine([.succeeded, .succeeded, .failed])
        machine.end(3, .succeeded, at: at, nil)
        let taken = StepsMachine.takingOver(machine.progress, of: "r1")
        #expect(taken.steps.map(\.status) == [.succeeded, .succeeded, .pending, .pending])
        #expect(taken.steps.map(\.doneIn) == ["r1", "r1", nil, nil])
        #expect(StepsMachine.canContinue(machine.progress))
        #expect(StepsMachine.takingOver(taken, of: "r2").steps[0].doneIn == "r1")
    }

    @Test func `nothing is taken over of a run that succeeded, or whose first step failed`() throws {
        var succeeded = try machine([.succeeded, .succeeded, .succeeded])
        #expect(succeeded.next() == [] && !StepsMachine.canContinue(succeeded.progress))
        #expect(!StepsMachine.canContinue(try machine([.failed]).progress))
    }

    @Test func `a cancelled run is repeated from the steps that did not succeed`() throws {
        var cancelled = try machine([.succeeded]).progress
        cancelled.steps[1].status = .cancelled
        #expect(StepsMachine.canContinue(cancelled))
        let again = StepsMachine.takingOver(cancelled, of: "r1")
        #expect(again.steps.map(\.status).prefix(2) == [.succeeded, .pending])
    }

    @Test func `the sentence about a failed list names its first failed items in their order`() {
        var items = StepItems(total: 9, digest: "")
        for index in [8, 1, 2, 3, 4, 5, 6] {
            items.mark(index, index == 6 ? .interrupted : .failed)
            items.note(
                .init(index: index, item: index == 1 ? String(repeating: "x", count: 50) : "i\(index)", run: nil))
        }
        let ending = items.end(of: "test", isStopped: false).ending
        let long = String(repeating: "x", count: 39) + "…"
        #expect(
            StepsProgress(ending: ending).message
                == "The step “test” failed for 6 of 9 items: \(long), i2, i3, i4, i5, …")
    }

    @Test func `recorded steps that are not those of the plan cannot be continued`() {
        #expect(StepsMachine(plan, from: StepsProgress([.init("copy", operation: "other")])) == nil)
        #expect(
            StepsMachine(plan, from: StepsProgress(plan.steps.map { .init($0.name, operation: $0.operation) })) != nil)
    }

    @Test func `no step of a cancelled run still asks or waits`() {
        var asking = StepsProgress.Step("b", .asking)
        asking.until = Timestamp(milliseconds: 5)
        let progress = StepsProgress([.init("a", .succeeded), asking, .init("c", .retrying), .init("d")])
        let end = StepsState.cancelled(from: .stopping(progress)).steps
        #expect(end.steps.map(\.status) == [.succeeded, .cancelled, .cancelled, .pending])
        #expect(end.steps.map(\.until) == [nil, nil, nil, nil])
    }
}
