import Flows
import Operations

/// An operation that does what the test says.
struct TestOperation: StateOperation {
    let body: @Sendable (TestInput, MutableStateFlow<TestState>) async throws -> Void

    init(_ body: @escaping @Sendable (TestInput, MutableStateFlow<TestState>) async throws -> Void) { self.body = body }

    func perform(_ input: TestInput, state: MutableStateFlow<TestState>) async throws {
        try await body(input, state)
    }
}

/// A label, or nothing.
struct TestInput: OperationInput {
    var label: String?
    static var fields: [InputField] { [InputField("label", "Label", .text(maximumLength: 100))] }
}

/// A door that work waits at until the test opens it.
final class Gate: Sendable {
    private let flow = MutableStateFlow(0)

    /// Opens the door for those who wait for that number or a lower one.
    func open(_ number: Int = 1) { flow.value = number }

    /// Waits until the door is open; throws when the task is cancelled first.
    func pass(_ number: Int = 1) async throws {
        guard await flow.first(where: { $0 >= number }) != nil else { throw CancellationError() }
    }
}
