import Testing
import TestSupport
import WeirFlows
import WeirOperations
import WeirStates

/// The example of the documentation, as it stands there.
enum GreetingState: OperationState {
    case none, loading
    case success(greeting: String)
    case error(message: String)
    case cancelled

    static let initial = GreetingState.none
    static func failed(_ error: any Error) -> Self { .error(message: error.explanation) }
    static func cancelled(from last: Self) -> Self { .cancelled }
    static let samples: [Self] = [
        .none, .loading, .success(greeting: "Hello, Ada"), .error(message: "No answer"), .cancelled,
    ]
    var phase: Phase {
        switch self {
        case .none: .idle
        case .loading: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }
}

struct GreetingInput: OperationInput {
    let label: String
    static let fields = [InputField("label", "Name", .text(maximumLength: 100), required: true)]
}

struct Greeting: StateOperation {
    let greet: @Sendable (String) async throws -> String

    func perform(_ input: GreetingInput, state: MutableStateFlow<GreetingState>) async throws {
        state.value = .loading
        state.value = .success(greeting: try await greet(input.label))
    }
}

@Suite(.timeLimit(.minutes(15))) struct GreetingExampleTests {
    struct NoAnswer: ExplainedError { let description = "Nobody answers." }

    func states(_ greet: @escaping @Sendable (String) async throws -> String) async throws -> [GreetingState] {
        let runner = OperationRunner(Greeting(greet: greet))
        let seen = Locked<[GreetingState]>([])
        var subscription: FlowSubscription?
        let run = try runner.start(GreetingInput(label: "Ada")) { run in
            subscription = run.state.subscribe(.lossless) { state in seen.withLock { $0.append(state) } }
        }
        _ = await run.outcome()
        subscription?.cancel()
        return seen.withLock { $0 }
    }

    // G1
    @Test func `the example of the text shows none, loading, and success or error`() async throws {
        #expect(try await states { "Hello, \($0)" } == [.none, .loading, .success(greeting: "Hello, Ada")])
        #expect(try await states { _ in throw NoAnswer() } == [.none, .loading, .error(message: "Nobody answers.")])
    }

    @Test func `a loop over the states ends with the run`() async throws {
        let runner = OperationRunner(Greeting { "Hello, \($0)" })
        let run = try runner.start(GreetingInput(label: "Ada"))
        var last: GreetingState?
        for await state in run.state { last = state }
        #expect(last == .success(greeting: "Hello, Ada"))
    }
}
