public import WeirOperations

/// Runs an operation to its end, and returns every state it passed through, in order, the initial one first.
///
/// ```swift
/// #expect(try await states(of: Greeting(), input: .init(name: "Ada")).last == .succeeded("Hello, Ada!"))
/// ```
/// - Parameters:
///   - operation: What is run.
///   - input: What it is started with.
///   - cancelWhen: The run is cancelled as soon as it is in a state of which this is true.
///   - limit: How much real time the run may take.
/// - Returns: The states.
/// - Throws: ``TestRunError`` when the limit is over. A run that fails does not throw: failing is a state.
public func states<Work: StateOperation>(
    of operation: Work, input: Work.Input, cancelWhen: (@Sendable (Work.State) -> Bool)? = nil,
    limit: Duration = .seconds(10)
) async throws -> [Work.State] {
    let run = try TestRun(operation, input: input, cancelWhen: cancelWhen, limit: limit)
    try await run.end()
    return run.states
}

/// Runs an operation that needs no input to its end, and returns every state it passed through.
public func states<Work: StateOperation>(
    of operation: Work, cancelWhen: (@Sendable (Work.State) -> Bool)? = nil, limit: Duration = .seconds(10)
) async throws -> [Work.State] where Work.Input == NoInput {
    try await states(of: operation, input: NoInput(), cancelWhen: cancelWhen, limit: limit)
}
