import Testing
import WeirFlows
import WeirStates

@testable import WeirOperations

/// Runs whose states show that they stop.
@Suite(.timeLimit(.minutes(15))) struct StoppingRunTests {
    private enum Slow: StoppingState {
        case waiting, working, stopping, cancelled
        case failed(message: String)

        static var initial: Slow { .waiting }
        static var samples: [Slow] { [.waiting, .working, .stopping, .cancelled, .failed(message: "a")] }
        static func failed(_ error: any Error) -> Slow { .failed(message: "\(error)") }
        static func cancelled(from last: Slow) -> Slow { .cancelled }
        var stopping: Slow { .stopping }

        var phase: Phase {
            switch self {
            case .waiting: .idle
            case .working, .stopping: .active
            case .cancelled: .cancelled
            case .failed: .failed
            }
        }
    }

    @Test func `a run that is cancelled before its work begins has ended, as there is nothing that could stop`() {
        let run = Run<Slow>(id: "r")
        run.cancel(.caller)
        #expect(run.state.value == .cancelled)
    }

    private struct SlowToStop: StateOperation {
        let mayReturn = MutableStateFlow(false)

        func perform(_ input: NoInput, state: MutableStateFlow<Slow>) async throws {
            state.value = .working
            // Cleanup that a cancelled task waits for.
            let waiting = Task { [mayReturn] in await mayReturn.first { $0 } }
            _ = await waiting.value
        }
    }

    // G2
    @Test func `a cancelled run stays in its stopping state until its work has returned`() async throws {
        let operation = SlowToStop()
        let run = try OperationRunner(operation).start(NoInput())
        var states = run.state.values(.lossless).makeAsyncIterator()
        while await states.next() != .working {}
        run.cancel(.caller)
        #expect(run.state.value == .stopping)
        operation.mayReturn.value = true
        _ = await run.outcome()
        #expect(await states.next() == .stopping)
        #expect(await states.next() == .cancelled)
    }
}
