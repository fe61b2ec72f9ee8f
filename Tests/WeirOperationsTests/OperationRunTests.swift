import Testing
import TestSupport
import WeirFlows
@testable import WeirOperations
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct OperationRunTests {
    struct Refused: Error, Equatable { let code: Int }

    /// Runs an operation and gives all its states, as a lossless observer saw them, and its outcome.
    func states(
        of operation: TestOperation, timeout: Duration? = nil, clock: any Clock<Duration> = VirtualClock(),
        meanwhile: (Run<TestState>) async throws -> Void = { _ in }
    ) async throws -> ([TestState], RunOutcome) {
        let runner = OperationRunner(operation, timeout: timeout, clock: clock)
        let seen = Locked<[TestState]>([])
        var subscription: FlowSubscription?
        let run = try runner.start(TestInput()) { run in
            subscription = run.state.subscribe(.lossless) { state in seen.withLock { $0.append(state) } }
        }
        try await meanwhile(run)
        let outcome = await run.outcome()
        subscription?.cancel()
        return (seen.withLock { $0 }, outcome)
    }

    // G1
    @Test func `every state of work that is over in an instant is seen`() async throws {
        let (states, outcome) = try await states(
            of: TestOperation { _, state in
                state.value = .working(step: 1)
                state.value = .success(text: "Hello")
            })
        #expect(states == [.none, .working(step: 1), .success(text: "Hello")])
        guard case .succeeded = outcome else { return #expect(Bool(false), "it ended as \(outcome)") }
    }

    // G1, G6
    @Test func `a thrown error becomes the failed state and keeps its type`() async throws {
        let (states, outcome) = try await states(
            of: TestOperation { _, state in
                state.value = .working(step: 1)
                throw Refused(code: 7)
            })
        #expect(states == [.none, .working(step: 1), .error(message: "Refused(code: 7)")])
        guard case .failed(let error) = outcome else { return #expect(Bool(false), "it ended as \(outcome)") }
        #expect(error as? Refused == Refused(code: 7))
    }

    // G2
    @Test func `cancelling gives the cancelled state, whatever the work throws afterwards`() async throws {
        let begun = Gate()
        let (states, outcome) = try await states(
            of: TestOperation { _, state in
                state.value = .working(step: 3)
                begun.open()
                do { try await Gate().pass() } catch { throw Refused(code: 1) }
            }
        ) { run in
            _ = await run.state.first { $0 == .working(step: 3) }
            run.cancel(.actor("operator"))
            run.cancel(.scope)
        }
        #expect(states == [.none, .working(step: 3), .cancelled(at: "working 3")])
        guard case .cancelled(let cause) = outcome else { return #expect(Bool(false), "it ended as \(outcome)") }
        #expect(cause.description == "cancelled by operator")
    }

    // G2
    @Test func `cancelling gives the cancelled state, even when the work goes on to succeed`() async throws {
        let (states, outcome) = try await states(
            of: TestOperation { _, state in
                state.value = .working(step: 1)
                do { try await Gate().pass() } catch { state.value = .success(text: "too late") }
            }
        ) { run in
            _ = await run.state.first { $0 == .working(step: 1) }
            run.cancel(.scope)
        }
        #expect(states == [.none, .working(step: 1), .cancelled(at: "working 1")])
        guard case .cancelled = outcome else { return #expect(Bool(false), "it ended as \(outcome)") }
    }

    // G2
    @Test func `work that throws CancellationError of its own accord is cancelled, not failed`() async throws {
        let (states, _) = try await states(of: TestOperation { _, _ in throw CancellationError() })
        #expect(states == [.none, .cancelled(at: "none")])
    }

    // G2
    @Test func `an end state that was reached before the cancelling stands`() async throws {
        let reached = Gate()
        let leave = Gate()
        let (states, outcome) = try await states(
            of: TestOperation { _, state in
                state.value = .success(text: "done")
                reached.open()
                try await leave.pass()
            }
        ) { run in
            try await reached.pass()
            run.cancel(.scope)
        }
        #expect(states == [.none, .success(text: "done")])
        guard case .succeeded = outcome else { return #expect(Bool(false), "it ended as \(outcome)") }
    }

    // G1
    @Test func `nothing is seen of what work writes after its end state`() async throws {
        let (states, _) = try await states(
            of: TestOperation { _, state in
                state.value = .success(text: "done")
                state.value = .working(step: 9)
            })
        #expect(states == [.none, .success(text: "done")])
    }

    // G1
    @Test func `returning without an end state fails, and tells the author what to do`() async throws {
        let (states, outcome) = try await states(of: TestOperation { _, state in state.value = .working(step: 1) })
        guard case .error(let message) = states.last else { return #expect(Bool(false), "it ended as \(outcome)") }
        #expect(message.contains("working(step: 1)") && message.contains("before returning, or throw"))
    }

    // G2
    @Test func `a timeout fails the run with an error of its own type`() async throws {
        let clock = VirtualClock()
        let (states, outcome) = try await states(
            of: TestOperation { _, state in
                state.value = .working(step: 1)
                try await Gate().pass()
            }, timeout: .seconds(30), clock: clock
        ) { run in
            _ = await run.state.first { $0 == .working(step: 1) }
            await clock.sleepers(1)
            clock.advance(by: .seconds(30))
        }
        #expect(states.count == 3 && states.last?.phase == .failed)
        guard case .failed(let error) = outcome else { return #expect(Bool(false), "it ended as \(outcome)") }
        #expect(error as? OperationTimeout == OperationTimeout(limit: .seconds(30)))
    }

    // G2
    @Test func `a run that ends in time takes its timer with it`() async throws {
        let clock = VirtualClock()
        _ = try await states(
            of: TestOperation { _, state in
                await clock.sleepers(1)
                state.value = .success(text: "in time")
            }, timeout: .seconds(30), clock: clock)
        await clock.sleepers(atMost: 0)
    }

    // G3
    @Test func `after cancel has returned no write is seen, whoever else is cancelling`() async throws {
        for _ in 0..<300 {
            let isOver = MutableStateFlow(false)
            let runner = OperationRunner(
                TestOperation { _, state in
                    // Work that nobody stops goes on until its state has been looked at.
                    var step = 0
                    while !Task.isCancelled, !isOver.value {
                        step += 1
                        state.value = .working(step: step)
                    }
                    state.value = .success(text: "late")
                })
            let run = try runner.start(TestInput())
            async let other: Void = run.cancel(.scope)
            run.cancel(.replaced)
            let last = run.state.value
            await other
            isOver.value = true
            _ = await run.outcome()
            #expect(last.phase == .cancelled)
            #expect(run.state.value == last)
        }
    }
}
