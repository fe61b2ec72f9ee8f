import Flows
import Operations

/// An operation that prints what the test says.
struct PrintingOperation: OutputOperation {
    let body: @Sendable (MutableStateFlow<TestState>, OutputWriter) async throws -> Void

    init(_ body: @escaping @Sendable (MutableStateFlow<TestState>, OutputWriter) async throws -> Void) {
        self.body = body
    }

    func perform(_ input: TestInput, state: MutableStateFlow<TestState>, output: OutputWriter) async throws {
        try await body(state, output)
    }
}
