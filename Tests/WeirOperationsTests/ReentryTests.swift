import Testing
import TestSupport
import WeirFlows
@testable import WeirOperations
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct ReentryTests {
    /// Work that says what it was given, waits for its door, and says so again.
    static func waiting(_ gate: Gate) -> TestOperation {
        TestOperation { input, state in
            state.value = .working(step: 1)
            try await gate.pass()
            state.value = .success(text: input.label ?? "")
        }
    }

    // G3
    @Test func `a newer run replaces the older one, which can publish no more`() async throws {
        let gate = Gate()
        let runner = OperationRunner(
            TestOperation { input, state in
                state.value = .working(step: 1)
                do { try await gate.pass() } catch { state.value = .success(text: "from the grave") }
                state.value = .success(text: input.label ?? "")
            }, reentry: .cancelPrevious)
        let first = try runner.start(TestInput(label: "first"))
        let second = try runner.start(TestInput(label: "second"))
        let last = first.state.value
        #expect(last.phase == .cancelled)
        gate.open()
        guard case .cancelled(.replaced) = await first.outcome() else { return #expect(Bool(false)) }
        guard case .succeeded = await second.outcome() else { return #expect(Bool(false)) }
        #expect(first.state.value == last)
        #expect(second.state.value == .success(text: "second"))
    }

    // G3
    @Test func `a second starter is given the run that is going`() async throws {
        let gate = Gate()
        let runner = OperationRunner(Self.waiting(gate), reentry: .joinExisting)
        let first = try runner.start(TestInput(label: "first"))
        var begins = 0
        let second = try runner.start(TestInput(label: "second")) { _ in begins += 1 }
        #expect(first === second && begins == 0)
        gate.open()
        _ = await first.outcome()
        let third = try runner.start(TestInput(label: "third"))
        #expect(third !== first)
        _ = await third.outcome()
    }

    @Test(arguments: [ReentryPolicy.joinExisting, .ignore])
    func `whoever sees a run end can start another at once`(_ policy: ReentryPolicy) async throws {
        let gate = Gate()
        let runner = OperationRunner(Self.waiting(gate), reentry: policy)
        let next = Locked<Run<TestState>?>(nil)
        var subscription: FlowSubscription?
        let first = try runner.start(TestInput()) { run in
            subscription = run.state.subscribe(.lossless) { state in
                // Before the runner itself has seen it.
                if state.phase.isEnded { next.withLock { $0 = try? runner.start(TestInput(label: "next")) } }
            }
        }
        gate.open()
        _ = await first.outcome()
        let second = try #require(next.withLock { $0 })
        #expect(second !== first)
        _ = await second.outcome()
        withExtendedLifetime(subscription) {}
    }

    // G3
    @Test func `a second start is refused while a run is going, and names it`() async throws {
        let gate = Gate()
        let runner = OperationRunner(Self.waiting(gate), reentry: .ignore)
        let first = try runner.start(TestInput(), id: "a")
        #expect(throws: OperationBusy(run: "a")) { try runner.start(TestInput(), id: "b") }
        gate.open()
        _ = await first.outcome()
        let second = try runner.start(TestInput(), id: "c")
        _ = await second.outcome()
    }

    // G3
    @Test func `queued runs go one after the other, each when the work before has returned`() async throws {
        let order = Locked<[String]>([])
        let runner = OperationRunner(
            TestOperation { input, state in
                order.withLock { $0.append("begin \(input.label ?? "")") }
                await Task.yield()
                state.value = .success(text: "")
                await Task.yield()
                order.withLock { $0.append("end \(input.label ?? "")") }
            }, reentry: .queue)
        let runs = try ["1", "2", "3"].map { try runner.start(TestInput(label: $0)) }
        for run in runs { _ = await run.outcome() }
        #expect(order.withLock { $0 } == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    }

    // G3
    @Test func `a queued run that is cancelled never begins, and lets the next one`() async throws {
        let gate = Gate()
        let runner = OperationRunner(Self.waiting(gate), reentry: .queue)
        let first = try runner.start(TestInput(label: "1"))
        let second = try runner.start(TestInput(label: "2"))
        let third = try runner.start(TestInput(label: "3"))
        second.cancel(.actor("operator"))
        guard case .cancelled = await second.outcome() else { return #expect(Bool(false)) }
        gate.open()
        _ = await first.outcome()
        guard case .succeeded = await third.outcome() else { return #expect(Bool(false)) }
        #expect(second.state.value == .cancelled(at: "none"))
    }

    // G3, G4
    @Test func `concurrent runs go side by side, and one that fails leaves the others and the scope alone`()
        async throws
    {
        struct Broken: Error {}
        let gate = Gate()
        let runner = OperationRunner(
            TestOperation { input, state in
                if input.label == "bad" { throw Broken() }
                try await gate.pass()
                state.value = .success(text: "")
            })
        let good = try runner.start(TestInput())
        let bad = try runner.start(TestInput(label: "bad"))
        guard case .failed(is Broken) = await bad.outcome() else { return #expect(Bool(false)) }
        let later = try runner.start(TestInput())
        gate.open()
        for run in [good, later] {
            guard case .succeeded = await run.outcome() else { return #expect(Bool(false)) }
        }
        #expect(!runner.scope.isCancelled)
    }

    // F5
    @Test func `cancelling the scope ends its runs, and lets no other begin`() async throws {
        let scope = FlowScope()
        let runner = OperationRunner(Self.waiting(Gate()), scope: scope)
        let run = try runner.start(TestInput())
        _ = await run.state.first { $0 == .working(step: 1) }
        scope.cancel()
        await scope.join()
        guard case .cancelled(.scope) = await run.outcome() else { return #expect(Bool(false)) }
        let late = try runner.start(TestInput())
        guard case .cancelled(.scope) = await late.outcome() else { return #expect(Bool(false)) }
        #expect(late.state.value == .cancelled(at: "none"))
    }

    // F6
    @Test func `cancelling who waits does not cancel a run that was started`() async throws {
        let gate = Gate()
        let runner = OperationRunner(Self.waiting(gate))
        let run = try runner.start(TestInput(label: "goes on"))
        let waiting = Task { await run.outcome() }
        waiting.cancel()
        gate.open()
        guard case .succeeded = await waiting.value else { return #expect(Bool(false)) }
    }

    // F6
    @Test func `cancelling who runs it in a structured way does cancel the run`() async throws {
        let begun = Gate()
        let runner = OperationRunner(
            TestOperation { _, state in
                begun.open()
                try await Gate().pass()
                state.value = .success(text: "")
            })
        let caller = Task { try await runner.run(TestInput()) }
        try await begun.pass()
        caller.cancel()
        guard case .cancelled(.caller) = try await caller.value else { return #expect(Bool(false)) }
    }

    // F6
    @Test func `a run that was joined survives the cancelling of who joined it`() async throws {
        let gate = Gate()
        let runner = OperationRunner(Self.waiting(gate), reentry: .joinExisting)
        let run = try runner.start(TestInput(label: "shared"))
        let joined = Task { try await runner.run(TestInput()) }
        joined.cancel()
        guard case .cancelled(.caller) = try await joined.value else { return #expect(Bool(false)) }
        gate.open()
        guard case .succeeded = await run.outcome() else { return #expect(Bool(false)) }
    }
}
