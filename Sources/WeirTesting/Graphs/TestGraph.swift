public import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
public import WeirStates

/// A run of an operation of steps in a test, in which no program runs and no time passes by itself.
///
/// The test says what each step does, moves the clock, decides, and reads the states of the steps:
///
/// ```swift
/// let run = try await TestGraph(
///     "release", of: catalog, input: ["version": "2.1"],
///     steps: ["build": [.fails(), .succeeds(["file": "a.tar"])], "switch": [.waits]])
/// try await run.advance(by: .seconds(10))
/// try await run.decide("approval", isApproved: true)
/// #expect(try await run.states(of: "build") == ["running", "retrying", "running", "succeeded"])
/// ```
/// A step that the test does not name succeeds with the values of its operation's sample. Everything else is as on a server:
/// inputs, values, conditions, lists, order, retries, timeouts and decisions.
public final class TestGraph: Sendable {
    private let board: Board
    private let run: String
    private let plan: StepsPlan
    private let clock: GraphClock
    private let script: GraphScript
    private let log: GraphLog
    private let limit: Duration

    /// Starts a run of an operation of a catalog, which Swift or a file declares.
    ///
    /// - Parameters:
    ///   - id: The operation's id.
    ///   - catalog: The catalog with the operation and those that its steps use.
    ///   - input: The run's input.
    ///   - steps: What the runs of each step do, in order; the last outcome repeats. The program of a condition is `NAME-if`.
    ///   - limit: The real-time limit of each wait.
    /// - Throws: `TestRunError` for a name that is no step, and `BoardError` for an invalid input.
    public init(
        _ id: String, of catalog: Catalog, input: JSONValue = [:], steps: [String: [StepOutcome]] = [:],
        limit: Duration = .seconds(10)
    ) async throws {
        guard let whole = catalog[id], let declared = whole.plan else {
            throw TestRunError(.other("There is no operation of steps “\(id)” in the catalog."), [String]())
        }
        let names = declared.steps.flatMap { step in
            (step.operation == nil ? [] : [step.name]) + (step.condition?.command == nil ? [] : ["\(step.name)-if"])
        }
        if let unknown = steps.keys.sorted().first(where: { !names.contains($0) }) {
            let known = names.joined(separator: ", ")
            throw TestRunError(.other("There is no step “\(unknown)” with a program. There are \(known)."), [String]())
        }
        let log = GraphLog()
        let script = GraphScript(steps) { log.count() }
        let clock = GraphClock { log.count() }
        (self.log, self.script, self.clock, self.limit) = (log, script, clock, limit)
        plan = declared.scripted
        var replaced = Catalog()
        replaced.add(
            StepsOperation(plan, fields: whole.fields) { log.follow($0) }, id: "whole", title: whole.title,
            summary: whole.summary, tags: [], reentry: .concurrent, timeout: nil, schedule: nil, partOf: nil)
        for step in declared.steps {
            let programs = [
                (step.operation, step.name, "step-\(step.name)"),
                (step.condition?.command?.operation, "\(step.name)-if", "if-\(step.name)"),
            ]
            for case (let operation?, let name, let part) in programs {
                let entry = catalog[operation]
                let sample = entry?.samples.first { $0.phase == .succeeded }?.payload.object ?? [:]
                replaced.add(
                    ScriptedStep(step: name, inputFields: entry?.fields ?? [], values: sample, script: script),
                    id: part,
                    title: name, summary: "", tags: [], reentry: .concurrent, timeout: nil, schedule: nil,
                    partOf: "whole")
            }
        }
        var configuration = Board.Configuration()
        configuration.tickInterval = .zero
        configuration.journalCheckInterval = nil
        configuration.retention = nil
        configuration.commandTimeout = GraphClock.longest * 2
        board = try await Board.open(
            catalog: replaced, journal: MemoryJournal(), configuration: configuration,
            now: { Timestamp(milliseconds: 1_795_262_400_000).after(clock.milliseconds) }, clock: clock)
        run = try await board.start("whole", input: input, actor: "a test").run
    }

    /// Starts a run of a graph whose steps use no other operations of a catalog, or those of `catalog`.
    ///
    /// - Throws: `StepGraphMistakes`, and the errors of ``init(_:of:input:steps:limit:)``.
    public convenience init<Input>(
        _ graph: StepGraph<Input>, in catalog: Catalog = Catalog(), input: JSONValue = [:],
        steps: [String: [StepOutcome]] = [:], limit: Duration = .seconds(10)
    ) async throws {
        var whole = catalog
        try whole.add(graph, id: "graph", title: "Graph", summary: "A test.")
        try await self.init("graph", of: whole, input: input, steps: steps, limit: limit)
    }

    // MARK: - Acting

    /// Lets time pass: retries, timeouts and limits of decisions within it happen in order.
    public func advance(by duration: Duration) async throws {
        let end = clock.now.advanced(by: duration)
        while true {
            try await settle()
            guard let next = clock.next, next <= end else { break }
            clock.advance(to: next)
        }
        clock.advance(to: end)
        try await settle()
    }

    /// Decides an approval.
    ///
    /// - Throws: `BoardError` if the step does not ask.
    public func decide(_ step: String, isApproved: Bool, comment: String? = nil) async throws {
        try await settle()
        _ = try await board.decide(run, step: step, isApproved: isApproved, comment: comment, actor: "a test")
        try await settle()
    }

    /// Ends the runs of a step that wait.
    ///
    /// - Throws: `TestRunError` if none does.
    public func finish(_ step: String, _ outcome: StepOutcome) async throws {
        try await settle()
        guard script.finish(step, outcome) else {
            throw TestRunError(.other("No run of the step “\(step)” waits."), log.changes)
        }
        try await settle()
    }

    /// Cancels the whole run, as a user does.
    public func cancel() async throws {
        try await settle()
        _ = try await board.cancel(run, actor: "a test")
        try await settle()
    }

    // MARK: - Reading

    /// The changes of all steps so far in order, each as the step's name and state: `build running`.
    ///
    /// The order of steps that run at the same time can vary. States are running, asking, retrying, succeeded, failed, cancelled
    /// and skipped.
    public func states() async throws -> [String] {
        try await settle()
        return log.changes.map(\.description)
    }

    /// The states of a step so far.
    public func states(of step: String) async throws -> [String] {
        try await settle()
        return log.changes.filter { $0.step == step }.map(\.state)
    }

    /// The inputs that the runs of a step received.
    public func inputs(of step: String) async throws -> [JSONValue] {
        try await settle()
        return script.inputs(of: step)
    }

    /// The phase of the whole run.
    public func phase() async throws -> Phase {
        try await settle()
        return log.state.phase
    }

    /// Why the run did not succeed, or nil.
    public func message() async throws -> String? {
        try await settle()
        return log.state.steps.message
    }

    // MARK: - Settling

    private var isSettled: Bool {
        guard let state = log.current else { return false }
        if state.phase.isEnded { return true }
        let isStopping = if case .stopping = state { true } else { false }
        let waits = state.steps.waits(in: plan, isStopping: isStopping) { [script] in
            script.active($0)
        } checking: { [script] in
            script.active("\($0)-if")
        }
        guard let waits else { return false }
        var sleeping = clock.sleeping
        for sleep in waits.sleeps {
            guard let index = sleeping.firstIndex(of: sleep) else { return false }
            sleeping.remove(at: index)
        }
        // Decisions wait in intervals.
        return sleeping.count == waits.decisions
    }

    /// Waits until nothing changes without an action of the test.
    private func settle() async throws {
        if isSettled { return }
        try await withThrowingTaskGroup(of: Bool.self) { [limit] group in
            group.addTask { await self.log.news.first { _ in self.isSettled } != nil }
            group.addTask {
                try await ContinuousClock().sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            guard try await group.next() == true else { throw TestRunError(.tooLong(limit), log.changes) }
        }
    }
}

extension GraphClock {
    /// The time since the clock was created.
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = now.offset.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}

extension StepsPlan {
    /// The plan with an operation of its own for each step and each condition.
    fileprivate var scripted: StepsPlan {
        StepsPlan(
            steps.map { step in
                var work = step.work
                if case .run(_, let input) = work { work = .run(operation: "step-\(step.name)", input: input) }
                let condition = step.condition.map { condition in
                    StepCondition(
                        condition.rules,
                        command: condition.command.map {
                            .init(operation: "if-\(step.name)", input: $0.input, words: $0.words)
                        })
                }
                return Step(
                    step.name, work, retry: step.retry, timeout: step.timeout, afterFailureOf: step.afterFailureOf,
                    isRepeatable: step.isRepeatable, needs: step.needs, allowsFailure: step.allowsFailure,
                    isFinally: step.isFinally, condition: condition, forEach: step.forEach,
                    repetition: step.repetition)
            }, atOnce: atOnce, stopsAfterFailure: stopsAfterFailure)
    }
}
