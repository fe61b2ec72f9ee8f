import Testing
import WeirFlows
import WeirOperations
import WeirStates
import WeirTesting

@Suite(.timeLimit(.minutes(15))) struct TestRunTests {
    /// Counts down, a second at a time.
    struct Countdown: SimpleOperation {
        struct Input: FormInput {
            var seconds = 2
            static let fields = [InputField(\Self.seconds, "Seconds", .integer(1...60))]
        }
        var clock: any Clock<Duration> = VirtualClock(advancing: .onSleep)

        func run(_ input: Input, report: RunReporter) async throws -> String {
            for second in 0..<input.seconds {
                report.progress(second, of: input.seconds)
                await report.print("\(input.seconds - second)")
                try await clock.sleep(for: .seconds(1))
            }
            return "Liftoff"
        }
    }

    typealias State = SimpleState<String>

    @Test func `all states of an operation are had by one line, without waiting`() async throws {
        #expect(
            try await states(of: Countdown(), input: .init()) == [
                .waiting, .working(note: nil, progress: nil), .working(note: nil, progress: WorkProgress(0, of: 2)),
                .working(note: nil, progress: WorkProgress(1, of: 2)), .succeeded("Liftoff"),
            ])
    }

    @Test func `an operation that needs no input is given none`() async throws {
        struct Nothing: SimpleOperation {
            func run(_ input: NoInput, report: RunReporter) async throws -> NoResult { NoResult() }
        }
        #expect(try await states(of: Nothing()).last == .succeeded(NoResult()))
    }

    @Test func `progress and printed lines are kept in order`() async throws {
        let run = try TestRun(Countdown(), input: .init(seconds: 3))
        let outcome = try await run.end()
        #expect(run.progress == (0..<3).map { WorkProgress($0, of: 3) })
        #expect(run.output == ["3", "2", "1"])
        guard case .succeeded = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `a run is cancelled in the very state that a test names`() async throws {
        let all = try await states(of: Countdown(), input: .init()) { $0.progress?.completed == 1 }
        #expect(
            all.suffix(2) == [.working(note: nil, progress: WorkProgress(1, of: 2)), .cancelled])
    }

    @Test func `a clock that is moved by hand takes a run from state to state`() async throws {
        let clock = VirtualClock()
        let run = try TestRun(Countdown(clock: clock), input: .init(seconds: 2))
        try await run.reach { $0.progress?.completed == 0 }
        _ = await clock.sleepers.first { $0 == 1 }
        #expect(run.progress.count == 1)
        clock.advance(by: .seconds(1))
        try await run.reach { $0.progress?.completed == 1 }
        run.cancel()
        try await run.end()
        #expect(run.states.last == .cancelled)
    }

    @Test func `a clock that advances on sleep shows the time that would have passed`() async throws {
        let clock = VirtualClock(advancing: .onSleep)
        _ = try await states(of: Countdown(clock: clock), input: .init(seconds: 60), limit: .seconds(300))
        #expect(clock.now.offset == .seconds(60))
    }

    @Test func `a run that ends without the state that is waited for says which states there were`() async throws {
        let run = try TestRun(Countdown(), input: .init(seconds: 1))
        let error = await #expect(throws: TestRunError.self) { try await run.reach { $0 == .cancelled } }
        #expect(error?.description.contains("succeeded(\"Liftoff\")") == true, "\(error?.description ?? "")")
    }

    @Test func `a run that takes longer than the limit is cancelled, and an error says what to do`() async throws {
        let run = try TestRun(Countdown(clock: VirtualClock()), input: .init(), limit: .milliseconds(20))
        let error = await #expect(throws: TestRunError.self) { try await run.end() }
        #expect(error?.description.contains("VirtualClock") == true)
        // Whoever tells a state at that moment tells the last one, too, and may not have come to it.
        while run.states.last != .cancelled {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(run.states.last == .cancelled)
    }

    @Test func `a run is started by JSON as the API does, with defaults, mistakes and all`() async throws {
        let run = try TestRun(Countdown(), json: [:])
        try await run.end()
        #expect(run.progress.count == 2)
        let error = #expect(throws: InputMistakes.self) { try TestRun(Countdown(), json: ["seconds": 99]) }
        #expect(error?.description == "seconds: Give a whole number from 1 to 60, not 99.")
    }

    enum Forgetful: ConventionalState {
        case waiting, forgotten, succeeded, cancelled
        case failed(message: String)
        static let ownSamples: [Self] = [.succeeded]
    }

    @Test func `a case that the samples lack is named`() async throws {
        struct Forgetting: StateOperation {
            func perform(_ input: NoInput, state: MutableStateFlow<Forgetful>) async throws {
                state.value = .forgotten
                state.value = .succeeded
            }
        }
        let run = try TestRun(Forgetting(), input: NoInput())
        try await run.end()
        #expect(run.casesWithoutSample == ["forgotten"])
    }
}
