package import WeirFlows
package import WeirOperations

/// An operation that does what the test says.
package struct TestOperation: StateOperation {
    private let body: @Sendable (TestInput, MutableStateFlow<TestState>) async throws -> Void

    /// Makes an operation of its work.
    package init(_ body: @escaping @Sendable (TestInput, MutableStateFlow<TestState>) async throws -> Void) {
        self.body = body
    }

    /// Does the work.
    package func perform(_ input: TestInput, state: MutableStateFlow<TestState>) async throws {
        try await body(input, state)
    }
}

/// An operation that prints what the test says.
package struct PrintingOperation: OutputOperation {
    private let body: @Sendable (MutableStateFlow<TestState>, OutputWriter) async throws -> Void

    /// Makes an operation of its work.
    package init(_ body: @escaping @Sendable (MutableStateFlow<TestState>, OutputWriter) async throws -> Void) {
        self.body = body
    }

    /// Does the work.
    package func perform(_ input: TestInput, state: MutableStateFlow<TestState>, output: OutputWriter) async throws {
        try await body(state, output)
    }
}

/// A label, or nothing.
package struct TestInput: OperationInput {
    /// What the run is called.
    package var label: String?

    /// Makes an input.
    package init(label: String? = nil) { self.label = label }

    /// The label's field.
    package static var fields: [InputField] { [InputField("label", "Label", .text(maximumLength: 100))] }
}

/// A door that work waits at until the test opens it.
package final class Gate: Sendable {
    private let flow = MutableStateFlow(0)

    /// Makes a door that is closed.
    package init() {}

    /// Opens the door for those who wait for that number or a lower one.
    package func open(_ number: Int = 1) { flow.value = number }

    /// Waits until the door is open; throws when the task is cancelled first.
    package func pass(_ number: Int = 1) async throws {
        guard await flow.first(where: { $0 >= number }) != nil else { throw CancellationError() }
    }
}
