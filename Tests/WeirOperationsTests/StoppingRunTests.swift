import Testing
import WeirFlows
import WeirStates

@testable import WeirOperations

/// Runs whose states show that they stop.
@Suite struct StoppingRunTests {
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
}
