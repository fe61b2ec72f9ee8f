import WeirFlows
import WeirOperations
import WeirStates

/// Passes through states and ticks of all kinds: some runs succeed, some fail.
struct TourOperation: StateOperation {
    struct Input: OperationInput {
        var label: String
        var stops: Int

        static var fields: [InputField] {
            [
                InputField("label", "Label", .text(maximumLength: 50), required: true),
                InputField("stops", "Stops", .integer(0...100), default: 3),
            ]
        }
    }

    enum State: OperationState {
        case waiting
        case travelling(stop: Int, of: Int)
        case resting(label: String)
        case home(stops: Int)
        case lost(message: String)
        case stopped

        static var initial: Self { .waiting }
        static func failed(_ error: any Error) -> Self { .lost(message: "\(error)") }
        static func cancelled(from last: Self) -> Self { .stopped }
        static var samples: [Self] {
            [
                .waiting, .travelling(stop: 1, of: 3), .resting(label: "a"), .home(stops: 3), .lost(message: "m"),
                .stopped,
            ]
        }

        var phase: Phase {
            switch self {
            case .waiting: .idle
            case .travelling, .resting: .active
            case .home: .succeeded
            case .lost: .failed
            case .stopped: .cancelled
            }
        }

        var progress: WorkProgress? {
            guard case .travelling(let stop, let stops) = self else { return nil }
            return WorkProgress(Int64(stop), of: Int64(stops))
        }
    }

    func perform(_ input: Input, state: MutableStateFlow<State>) async throws {
        for stop in 0..<input.stops {
            state.value = .travelling(stop: stop, of: input.stops)
            await Task.yield()
            if stop % 4 == 3 { state.value = .resting(label: input.label) }
        }
        if input.label == "lost" { throw CancellationError() }
        state.value = .home(stops: input.stops)
    }
}
