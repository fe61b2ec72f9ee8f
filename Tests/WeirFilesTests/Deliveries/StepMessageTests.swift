import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirFiles

/// Messages about runs of steps, with their output; recoveries over restarts; and scheduled starts that did not happen.
@Suite(.timeLimit(.minutes(15)))
struct StepMessageTests {
    /// Prints thirty lines, and ends as its input says.
    private struct Printing: SimpleOperation {
        struct Input: OperationInput {
            static var fields: [InputField] { [InputField("fails", "Fails", .text(), required: true)] }
            let fails: String
        }

        func run(_ input: Input, report: RunReporter) async throws -> NoResult {
            for number in 1...30 { await report.print("line \(number)") }
            if input.fails != "no" { throw OperationFailure(input.fails) }
            return NoResult()
        }
    }

    private func addSteps(_ catalog: inout Catalog) {
        catalog.add(Printing(), id: "inner", title: "Inner", summary: "Prints.")
        let step = StepsPlan.Step(
            "copy", .run(operation: "inner", input: ["fails": StepValue([.text("The disk is full.")])]),
            title: "Copy all", retry: .init(limit: 1, interval: .zero))
        catalog.add(
            StepsOperation(StepsPlan([step]), fields: []), id: "whole", title: "Whole", summary: "Has a step.",
            tags: [], reentry: .concurrent, timeout: nil, schedule: nil, partOf: nil)
    }

    /// Runs the steps, and waits for the message about them.
    private func told(_ fixture: Fixture) async throws -> DeliveryRecord {
        let run = try await fixture.board.start("whole", input: [:], actor: "Ana").run
        await fixture.board.outcome(of: run)
        try await until { try await !fixture.store.deliveries(ofRun: run).isEmpty }
        return try #require(try await fixture.store.deliveries(ofRun: run).first)
    }

    @Test func `steps that fail are one message, which names the step, its reason and its last lines`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url)], adding: addSteps)
        let message = try await told(fixture)
        #expect(message.facts.message == "The step “Copy all” failed. The disk is full.")
        #expect(message.facts.step == "copy" && message.facts.stepTitle == "Copy all")
        #expect(message.facts.output == (11...30).map { "line \($0)" })
        // Both attempts ended before the whole, so their messages would be there.
        #expect(try await fixture.board.runs(RunQuery(operation: "inner")).runs.count == 2)
        #expect(try await fixture.store.deliveries(of: "inner", limit: 10) == [])
        await fixture.stop()
    }

    @Test func `an operation's own rules tell of its runs as steps, too`() async throws {
        let receiver = try await Receiver()
        let rule = try NotificationRule.webhook(receiver.url)
        let fixture = try await Fixture([rule], adding: addSteps, own: ["inner": [rule]])
        _ = try await told(fixture)
        let inner = try await fixture.store.deliveries(of: "inner", limit: 10)
        #expect(inner.map(\.facts.message) == ["The disk is full.", "The disk is full."])
        await fixture.stop()
    }

    @Test func `the key of a step does not hide a run that somebody starts`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url)], adding: addSteps)
        let other = try await fixture.run()
        let run = try await fixture.board.start(
            "inner", input: ["fails": "No."], actor: "Ana", idempotencyKey: "step \(other) copy 1"
        ).run
        await fixture.board.outcome(of: run)
        try await until { try await !fixture.store.deliveries(ofRun: run).isEmpty }
        await fixture.stop()
    }

    @Test func `a recovery is told of after a restart, though a run was cancelled in between`() async throws {
        let receiver = try await Receiver()
        let rules = [try NotificationRule.webhook(receiver.url, [.failed, .recovered])]
        let journal = MemoryJournal(epoch: "testepoch0001")
        let before = try await Fixture(rules, journal: journal)
        try await before.run(failing: "No.")
        _ = try await before.delivery { $0.status == .delivered }
        await before.stop()
        await before.board.shutdown()
        let after = try await Fixture(rules, journal: journal, store: before.store)
        let cancelled = try await after.begin()
        _ = try await after.board.cancel(cancelled, actor: "Ana")
        await after.open(cancelled)
        let run = try await after.run()
        let recovered = try await after.delivery { $0.facts.event == .recovered && $0.status == .delivered }
        #expect(recovered.facts.run == run)
        try await after.run()
        await after.stop()
        await after.board.shutdown()
        #expect(receiver.requests.value.count == 2)
    }

    @Test func `scheduled starts that were missed or refused are told of`() async throws {
        let receiver = try await Receiver()
        let rules = [try NotificationRule.webhook(receiver.url, [.missed])]
        let journal = MemoryJournal(epoch: "testepoch0001")
        let schedule = try Schedule(every: "15m")
        // Its input is missing, so each of its starts is refused.
        let addNightly: (inout Catalog) -> Void = { catalog in
            catalog.add(Printing(), id: "nightly", title: "Nightly", summary: "Prints.", schedule: schedule)
        }
        let before = try await Fixture(rules, journal: journal, adding: addNightly)
        try await until { try await before.store.state() != NotificationState() }
        await before.stop()
        await before.board.shutdown()
        let clock = VirtualClock()
        clock.advance(by: .seconds(3_600))
        let after = try await Fixture(rules, journal: journal, store: before.store, clock: clock, adding: addNightly)
        try await until { try await after.store.deliveries(of: "nightly", limit: 10).count == 2 }
        let told = try await after.store.deliveries(of: "nightly", limit: 10)
        #expect(Set(told.map(\.id)) == ["nightly-1.missed-2700000", "nightly-1.refused-3600000"])
        #expect(told.allSatisfy { $0.facts.event == .missed && $0.facts.run == nil })
        #expect(told.allSatisfy { $0.facts.url == "https://weir.example/operations/nightly" })
        await after.stop()
        await after.board.shutdown()
    }
}
