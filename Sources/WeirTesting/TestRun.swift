// Tests of operations and stores need `VirtualClock`.
@_exported public import WeirFlows
public import WeirOperations
public import WeirStates

/// A run of an operation in a test, which collects its states, its output and its outcome.
///
/// ```swift
/// let run = try TestRun(Backup(), input: .init(folder: "/srv"))
/// try await run.reach { $0.progress != nil }
/// run.cancel()
/// try await run.end()
/// #expect(run.states.last == .cancelled)
/// ```
/// No server, board or journal is involved, and every state is collected. Waits take real time up to a limit; pass a
/// `VirtualClock` to operations that sleep, to avoid waiting.
public final class TestRun<Work: StateOperation>: Sendable {
    private let run: Run<Work.State>
    private let subscription: FlowSubscription?
    private let log = TestLog<Work.State>()
    private let lines = TestOutput()
    private let limit: Duration

    /// Starts a run.
    ///
    /// - Parameters:
    ///   - operation: The operation to run.
    ///   - input: The run's input.
    ///   - cancelWhen: Cancels the run as soon as it returns true for a state: no later state of the work is collected.
    ///   - limit: The real-time limit of each wait for the run.
    /// - Throws: `OperationBusy`, which cannot occur for a first run.
    public init(
        _ operation: Work, input: Work.Input, cancelWhen: (@Sendable (Work.State) -> Bool)? = nil,
        limit: Duration = .seconds(10)
    ) throws {
        self.limit = limit
        let (log, lines) = (log, lines)
        var subscription: FlowSubscription?
        run = try OperationRunner(operation).start(input) { run in
            run.print(to: lines)
            subscription = run.state.subscribe(.lossless) { state in
                log.append(state)
                if cancelWhen?(state) == true { run.cancel(.actor("a test")) }
            } onEnd: { _ in
                log.count.finish()
            }
        }
        self.subscription = subscription
    }

    /// Starts a run with a JSON object that is validated against the operation's fields, like a form or the API.
    ///
    /// - Parameters:
    ///   - operation: The operation to run.
    ///   - json: The run's input, without defaults.
    ///   - limit: The real-time limit of each wait for the run.
    /// - Throws: `InputMistakes` if the input does not match the fields, and `DecodingError` if the fields do not match
    ///   the input's type.
    public convenience init(_ operation: Work, json: JSONValue, limit: Duration = .seconds(10)) throws {
        let input = try InputField.validate(json, fields: operation.inputFields).decode(Work.Input.self)
        try self.init(operation, input: input, limit: limit)
    }

    /// The states so far in order, beginning with the initial one.
    public var states: [Work.State] { log.states }

    /// The progress of all states so far that have one.
    public var progress: [WorkProgress] { states.compactMap(\.progress) }

    /// The lines of output so far.
    public var output: [String] { lines.lines }

    /// The names of the run's cases that are missing from the state's `samples`, in order of appearance.
    ///
    /// The gallery and the template checks do not cover such cases.
    public var casesWithoutSample: [String] {
        let known = Set(Work.State.samples.compactMap(Self.caseName))
        var unknown: [String] = []
        for name in states.compactMap(Self.caseName) where !known.contains(name) && !unknown.contains(name) {
            unknown.append(name)
        }
        return unknown
    }

    /// Cancels the run; no further state of the work is collected after this returns.
    public func cancel() { run.cancel(.actor("a test")) }

    /// Waits until a state satisfies the predicate, and returns the first such state.
    ///
    /// - Throws: ``TestRunError`` if the run ends without such a state, or the limit is exceeded.
    @discardableResult
    public func reach(_ fits: @escaping @Sendable (Work.State) -> Bool) async throws -> Work.State {
        try await withinLimit { [self] in
            _ = await log.count.first { _ in states.contains(where: fits) }
            try Task.checkCancellation()
            guard let state = states.first(where: fits) else { throw TestRunError(.ended, states) }
            return state
        }
    }

    /// Waits until the run has ended and its work has returned.
    ///
    /// - Returns: The outcome.
    /// - Throws: ``TestRunError`` if the limit is exceeded; the run is then cancelled.
    @discardableResult
    public func end() async throws -> RunOutcome {
        try await withinLimit { [self] in
            guard let outcome = await run.interruptibleOutcome() else { throw CancellationError() }
            // Waits for the delivery of the last state.
            for await _ in log.count.values(.conflated) {}
            return outcome
        }
    }

    private func withinLimit<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { [limit] group in
            group.addTask { try await body() }
            group.addTask {
                try await ContinuousClock().sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else {
                cancel()
                throw TestRunError(.tooLong(limit), states)
            }
            return value
        }
    }

    private static func caseName(_ state: Work.State) -> String? {
        do {
            return try StateRecord(state).caseName
        } catch {
            return nil
        }
    }
}

/// An error of a test run: a state was not reached, or a limit was exceeded.
public struct TestRunError: Error, CustomStringConvertible {
    enum Reason: Sendable {
        case ended
        case tooLong(Duration)
        case other(String)
    }

    private let reason: Reason
    private let states: String

    init(_ reason: Reason, _ states: [some Sendable]) {
        self.reason = reason
        self.states = states.map { "\($0)" }.joined(separator: ", ")
    }

    /// What happened, with the states so far.
    public var description: String {
        switch reason {
        case .ended: "The run ended without the state that was waited for. It passed through: \(states)."
        case .tooLong(let limit):
            "The run took longer than \(limit). Give an operation that sleeps a VirtualClock, or raise the limit. "
                + "It passed through: \(states)."
        case .other(let sentence): sentence
        }
    }
}

private final class TestLog<State: Sendable>: Sendable {
    private let seen = Locked<[State]>([])
    /// The number of states; the flow finishes with the run.
    let count = MutableStateFlow(0)

    var states: [State] { seen.withLock { $0 } }

    func append(_ state: State) {
        count.value = seen.withLock { seen in
            seen.append(state)
            return seen.count
        }
    }
}

private final class TestOutput: OutputSink {
    private let printed = Locked<[String]>([])

    var lines: [String] { printed.withLock { $0 } }

    func write(_ line: String, to channel: OutputChannel) async { printed.withLock { $0.append(line) } }

    func offer(_ line: String, to channel: OutputChannel) -> Bool {
        printed.withLock { $0.append(line) }
        return true
    }
}

/// Runs an operation to its end, and returns its states in order, beginning with the initial one.
///
/// ```swift
/// #expect(try await states(of: Greeting(), input: .init(name: "Ada")).last == .succeeded("Hello, Ada!"))
/// ```
/// - Parameters:
///   - operation: The operation to run.
///   - input: The run's input.
///   - cancelWhen: Cancels the run as soon as it returns true for a state.
///   - limit: The real-time limit of the run.
/// - Returns: The states.
/// - Throws: ``TestRunError`` if the limit is exceeded. A failed run does not throw, because failure is a state.
public func states<Work: StateOperation>(
    of operation: Work, input: Work.Input, cancelWhen: (@Sendable (Work.State) -> Bool)? = nil,
    limit: Duration = .seconds(10)
) async throws -> [Work.State] {
    let run = try TestRun(operation, input: input, cancelWhen: cancelWhen, limit: limit)
    try await run.end()
    return run.states
}

/// Runs an operation without input to its end, and returns its states in order.
public func states<Work: StateOperation>(
    of operation: Work, cancelWhen: (@Sendable (Work.State) -> Bool)? = nil, limit: Duration = .seconds(10)
) async throws -> [Work.State] where Work.Input == NoInput {
    try await states(of: operation, input: NoInput(), cancelWhen: cancelWhen, limit: limit)
}
