import NIOConcurrencyHelpers
import WeirFlows
import WeirOperations
import WeirStates

/// An operation that goes from step to step when the test says so.
struct Steps: StateOperation {
    struct Input: OperationInput {
        var label: String
        var last: Int?

        static var fields: [InputField] {
            [
                InputField("label", "Label", .text(maximumLength: 200), required: true),
                InputField("last", "Last", .integer(0...1_000), default: 0),
            ]
        }
    }

    enum State: OperationState {
        case waiting
        /// An even step. Even and odd ones are different cases, because only transitions are all recorded.
        case stepping(number: Int, label: String)
        /// An odd step.
        case striding(number: Int, label: String)
        case done(label: String)
        case stopped
        case broken(message: String)

        static var initial: Self { .waiting }
        static func failed(_ error: any Error) -> Self { .broken(message: "\(error)") }
        static func cancelled(from last: Self) -> Self { .stopped }
        static var samples: [Self] {
            [
                .waiting, .stepping(number: 0, label: "a"), .striding(number: 1, label: "a"), .done(label: "a"),
                .stopped, .broken(message: "b"),
            ]
        }

        var phase: Phase {
            switch self {
            case .waiting: .idle
            case .stepping, .striding: .active
            case .done: .succeeded
            case .stopped: .cancelled
            case .broken: .failed
            }
        }

        var progress: WorkProgress? {
            switch self {
            case .stepping(let number, _), .striding(let number, _): WorkProgress(Int64(number), of: 4)
            case .waiting, .done, .stopped, .broken: nil
            }
        }
    }

    let gate: Gate

    /// Steps 0 to `last` at once, then one more for each opening of the gate, until it says that all is done.
    func perform(_ input: Input, state: MutableStateFlow<State>) async throws {
        var number = 0
        while number <= input.last ?? 0 {
            state.value = Self.step(number, input)
            number += 1
        }
        while try await gate.pass() {
            state.value = Self.step(number, input)
            number += 1
        }
        state.value = .done(label: input.label)
    }

    private static func step(_ number: Int, _ input: Input) -> State {
        number % 2 == 0
            ? .stepping(number: number, label: input.label) : .striding(number: number, label: input.label)
    }
}

/// Steps without an input, because an operation that runs only while watched starts without one.
struct WatchedSteps: StateOperation {
    let gate: Gate

    func perform(_ input: NoInput, state: MutableStateFlow<Steps.State>) async throws {
        try await Steps(gate: gate).perform(Steps.Input(label: "watched"), state: state)
    }
}
