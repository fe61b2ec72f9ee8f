import WeirFlows
public import WeirOperations
public import WeirStates

/// One run of an operation in a test: every state it passes through, what it prints, and how it ends.
///
/// ```swift
/// let run = try TestRun(Backup(), input: .init(folder: "/srv"))
/// try await run.reach { $0.progress != nil }
/// run.cancel()
/// try await run.end()
/// #expect(run.states.last == .cancelled)
/// ```
/// No server, board or journal is involved, and no state is left out. Waiting takes real time, bounded by a limit; give an
/// operation that sleeps a `VirtualClock`, and nothing is waited for.
public final class TestRun<Work: StateOperation>: Sendable {
    private let run: Run<Work.State>
    private let subscription: FlowSubscription?
    private let log = TestLog<Work.State>()
    private let lines = TestOutput()
    private let limit: Duration

    /// Begins a run.
    ///
    /// - Parameters:
    ///   - operation: What is run.
    ///   - input: What it is started with.
    ///   - cancelWhen: The run is cancelled as soon as it is in a state of which this is true: no later state of the work
    ///     is seen.
    ///   - limit: How much real time may pass before waiting for the run is an error.
    /// - Throws: `OperationBusy`, which does not happen to a first run.
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

    /// Begins a run as a form or the API does: with a JSON object that is held against the operation's fields.
    ///
    /// - Parameters:
    ///   - operation: What is run.
    ///   - json: What it is started with; defaults are filled in.
    ///   - limit: How much real time may pass before waiting for the run is an error.
    /// - Throws: `InputMistakes` for what does not fit the fields, and `DecodingError` where the fields do not fit the
    ///   input's type.
    public convenience init(_ operation: Work, json: JSONValue, limit: Duration = .seconds(10)) throws {
        let input = try InputField.validate(json, fields: operation.inputFields).decode(Work.Input.self)
        try self.init(operation, input: input, limit: limit)
    }

    /// The states so far, in order, the initial one first.
    public var states: [Work.State] { log.states }

    /// The progress of each state so far that has one.
    public var progress: [WorkProgress] { states.compactMap(\.progress) }

    /// The lines that were printed so far.
    public var output: [String] { lines.lines }

    /// The names of cases that the run passed through and that the state's `samples` lack, in the order of first sight.
    ///
    /// Neither the gallery nor the check of templates knows such a case.
    public var casesWithoutSample: [String] {
        let known = Set(Work.State.samples.compactMap(Self.caseName))
        var unknown: [String] = []
        for name in states.compactMap(Self.caseName) where !known.contains(name) && !unknown.contains(name) {
            unknown.append(name)
        }
        return unknown
    }

    /// Asks the run to stop: once this has returned, no further state of the work is seen.
    public func cancel() { run.cancel(.actor("a test")) }

    /// Waits until the run has passed through a state that fits, and returns the first such state.
    ///
    /// - Throws: ``TestRunError`` when the run ends without it, or the limit is over.
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
    /// - Returns: How it ended.
    /// - Throws: ``TestRunError`` when the limit is over; the run is then cancelled.
    @discardableResult
    public func end() async throws -> RunOutcome {
        try await withinLimit { [self] in
            guard let outcome = await run.interruptibleOutcome() else { throw CancellationError() }
            // The last state may still be on its way to whoever counts them.
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

/// A run in a test did not do what the test waited for.
public struct TestRunError: Error, CustomStringConvertible {
    enum Reason: Sendable {
        case ended
        case tooLong(Duration)
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
        }
    }
}

/// The states that a run has passed through.
private final class TestLog<State: Sendable>: Sendable {
    private let seen = Locked<[State]>([])
    /// How many states there are; ends with the run.
    let count = MutableStateFlow(0)

    var states: [State] { seen.withLock { $0 } }

    func append(_ state: State) {
        count.value = seen.withLock { seen in
            seen.append(state)
            return seen.count
        }
    }
}

/// Keeps what a run prints.
private final class TestOutput: OutputSink {
    private let printed = Locked<[String]>([])

    var lines: [String] { printed.withLock { $0 } }

    func write(_ line: String, to channel: OutputChannel) async { printed.withLock { $0.append(line) } }

    func offer(_ line: String, to channel: OutputChannel) -> Bool {
        printed.withLock { $0.append(line) }
        return true
    }
}
