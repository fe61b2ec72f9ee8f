import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// A board with an operation made of steps, and the means to follow its runs.
struct StepsFixture {
    /// Counts how often the work of each label began.
    final class Begun: Sendable {
        private let counts = Locked<[String: Int]>([:])

        func note(_ label: String) { counts.withLock { $0[label, default: 0] += 1 } }

        subscript(label: String) -> Int { counts.withLock { $0[label] ?? 0 } }
    }

    let begun = Begun()
    let gate = Gate()

    /// Echoes its label; `fail` fails, and `wait` waits for the gate.
    func catalog(
        _ plan: StepsPlan, work other: TestOperation? = nil, timeout: Duration? = nil,
        reentry: ReentryPolicy = .concurrent
    ) -> Catalog {
        var catalog = Catalog()
        let work =
            other
            ?? TestOperation { [begun, gate] input, state in
                let label = input.label ?? ""
                begun.note(label)
                state.value = .working(step: 1)
                if label == "fail" { throw OperationFailure("It failed.") }
                if label == "wait" { try await gate.pass() }
                state.value = .success(text: "<\(label)>")
            }
        catalog.add(work, id: "echo", title: "Echo", summary: "A test.")
        catalog.add(
            StepsOperation(
                plan, fields: [InputField("name", "Name", .text()), InputField("dry", "Dry", .boolean)]), id: "whole",
            title: "Whole", summary: "A test.", tags: [], reentry: reentry, timeout: timeout, schedule: nil, partOf: nil
        )
        return catalog
    }

    func open(
        _ plan: StepsPlan, work: TestOperation? = nil, on journal: JournalDouble = JournalDouble(),
        wall: MutableStateFlow<Int64>? = nil,
        clock: VirtualClock = VirtualClock(), timeout: Duration? = nil, quiet: QuietStart? = nil
    ) async throws -> BoardFixture {
        var configuration = Board.Configuration()
        configuration.quiet = quiet
        configuration.journalCheckInterval = nil
        configuration.retention = nil
        let time = Locked(Int64(1_000))
        let now = { @Sendable in
            Timestamp(
                milliseconds: wall?.value
                    ?? time.withLock { time in
                        time += 1
                        return time
                    })
        }
        let board = try await Board.open(
            catalog: catalog(plan, work: work, timeout: timeout), journal: journal, configuration: configuration,
            now: now,
            clock: clock)
        return BoardFixture(board: board, journal: journal, clock: clock)
    }

    static func echo(
        _ name: String, _ parts: StepValue.Part..., retry: StepsPlan.Retry? = nil, timeout: Duration? = nil,
        after: Set<String> = [], isRepeatable: Bool = false
    ) -> StepsPlan.Step {
        .init(
            name, .run(operation: "echo", input: ["label": StepValue(parts)]), retry: retry, timeout: timeout,
            afterFailureOf: after, isRepeatable: isRepeatable)
    }

    static func ask(_ within: Duration? = nil, approves: Bool = false) -> StepsPlan.Step {
        .init(
            "ask",
            .approval(
                .init(
                    prompt: StepValue([.text("Is "), .input("name"), .text(" fine?")]), within: within,
                    approvesByItself: approves)))
    }

    func progress(_ fixture: BoardFixture, _ run: String) async throws -> StepsProgress {
        try await fixture.board.run(run).state.state(as: StepsState.self).steps
    }

    /// Waits until a run is in a state with steps that fit.
    func reach(
        _ fixture: BoardFixture, _ run: String, _ fits: @escaping @Sendable (StepsState) -> Bool
    ) async throws {
        if let state = try? await fixture.board.run(run).state.state(as: StepsState.self), fits(state) { return }
        try await fixture.published(.run(run)) { publication in
            (try? publication.change.state.state(as: StepsState.self)).map(fits) ?? false
        }
    }

    /// Waits until the run of the step that waits works; its id.
    @discardableResult
    func working(_ fixture: BoardFixture) async throws -> String {
        let publication = try await fixture.published(.operation("echo")) { publication in
            publication.change.state.caseName == "working"
                && publication.run?.record.opening.input["label"] == "wait"
        }
        return try #require(publication.run?.record.id)
    }

    func start(_ fixture: BoardFixture) async throws -> String {
        try await fixture.board.start("whole", input: ["name": "Ada"], actor: "ana").run
    }
}
