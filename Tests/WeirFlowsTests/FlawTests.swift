import Testing
import TestSupport
import WeirFlows
import WeirStates

/// What goes wrong in the texts this grew from, and cannot here.
@Suite(.timeLimit(.minutes(15))) struct FlawTests {
    struct Offline: ExplainedError { let description = "There is no network." }

    @Test func `a perform that returns at once does not lose the final state`() async {
        let operation = FooOperation()
        let last = Seen<FooOperation.State>()
        let subscription = operation.state.subscribe(.lossless) { last.add($0) }
        operation.perform()
        #expect(await last.count(atLeast: 3).last == .success(greeting: "Hello World!"))
        subscription.cancel()
    }

    @Test func `a state keeps its type, so that a switch over it needs no cast and no default`() async {
        let operation = FooOperation()
        await operation.perform().join()
        let text =
            switch operation.state.value {
            case .none: "Starting"
            case .loading: "Loading..."
            case .success(let greeting): "Success: \(greeting)"
            case .error(let message): "Error: \(message)"
            case .cancelled: "Cancelled"
            }
        #expect(text == "Success: Hello World!")
    }

    @Test @MainActor func `an initial read before the start is not what is shown in the end`() async throws {
        let operation = FooOperation()
        let model = FooViewModel(operation: operation)
        #expect(model.state == .none)
        await model.start().join()
        // The binding serves the main actor in its own time; wait for the value, not for the clock.
        try await until { model.state == .success(greeting: "Hello World!") }
        #expect(model.shown.suffix(2) == [.loading, .success(greeting: "Hello World!")])
    }

    @Test func `a cancellation is not shown as an error`() async {
        let hasBegun = Signal()
        let operation = FooOperation {
            hasBegun.happen()
            _ = await MutableStateFlow(0).first { $0 == 1 }
            try Task.checkCancellation()
            return "too late"
        }
        let job = operation.perform()
        await hasBegun.wait()
        job.cancel()
        #expect(await job.join()?.isCancelled == true)
        #expect(operation.state.value == .cancelled)
    }

    @Test func `an older result does not overwrite a newer one`() async {
        let older = MutableStateFlow("loading")
        let newer = MutableStateFlow("loading")
        older.seal(with: "replaced")
        newer.seal(with: "newer result")
        older.value = "older result"
        #expect(older.value == "replaced")
        #expect(newer.value == "newer result")
    }

    @Test func `an instant operation does not hide that it was loading`() async {
        let operation = FooOperation()
        var states = operation.state.values(.lossless).makeAsyncIterator()
        await operation.perform().join()
        #expect(await states.next() == FooOperation.State.none)
        #expect(await states.next() == .loading)
        #expect(await states.next() == .success(greeting: "Hello World!"))
    }

    @Test func `a collector does not leak after its cancel, and needs no other value for that`() async {
        let flow = MutableStateFlow(0)
        let scope = FlowScope()
        scope.launch { await flow.collect { _ in } }
        _ = await flow.subscriptionCount.first { $0 == 1 }
        scope.cancel()
        await scope.join()
        #expect(flow.subscriptionCount.value == 0)
    }

    @Test func `an error keeps its type up to who waits for the job`() async {
        let scope = FlowScope()
        let job = scope.launch { throw Offline() }
        #expect(await job.join()?.error is Offline)
        let operation = FooOperation { throw Offline() }
        await operation.perform().join()
        #expect(operation.state.value == .error(message: "There is no network."))
    }

    @Test func `an error does not become a completion`() async {
        let scope = FlowScope()
        let seen = Seen<String>()
        let failing = CallbackFormTests.Numbers(count: 1, failure: CallbackFormTests.Broken())
        let subscription = failing.subscribe(in: scope) {
            seen.add("\($0)")
        } onComplete: {
            seen.add("complete")
        } onThrow: { _ in
            seen.add("throw")
        }
        await scope.join()
        #expect(seen.all == ["1", "throw"])
        subscription.cancel()
    }
}
