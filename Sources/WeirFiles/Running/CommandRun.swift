import NIOCore
import WeirBoards
import WeirFlows
import WeirOperations
import WeirStates

/// One run of a command: its attempts, their output and reports, and the final state.
struct CommandRun: Sendable {
    let definition: OperationDefinition
    private(set) var input: CommandInput
    let environment: CommandEnvironment
    let helper: CommandHelper
    let clock: any Clock<Duration>
    let output: OutputWriter
    let reporter: StateReporter
    let mask: SecretMask
    /// Keeps files, or nil if the operation keeps none.
    let keeper: ArtifactKeeper?
    /// The time since the beginning of the run.
    let stopwatch: @Sendable () -> Duration
    let stopSwitch = StopSwitch()

    /// How long to wait, after the command has ended, for another process that keeps the state pipe open.
    static let pipePatience = Duration.seconds(1)

    /// Runs the command, with retries after a failure if the file declares them, and returns the state of success.
    ///
    /// `pending` is the retry that the run was waiting for when an earlier process ended. Throws `CommandProblem` and
    /// `OperationFailure`, and `CancellationError` if the run was stopped.
    func perform(after pending: CommandRetry? = nil) async throws -> CommandState {
        guard let keeper else { return try await received(after: pending) }
        let end: CommandState
        do {
            end = try await received(after: pending)
        } catch let problem as CommandProblem {
            throw CommandState.failed(problem: problem).keeping(await keep(by: keeper)).problem ?? problem
        } catch {
            await reporter.keep(await keep(by: keeper))
            throw error
        }
        return end.keeping(await keep(by: keeper))
    }

    /// Keeps the files after the program has ended, and prints a sentence about each file that is not kept.
    private func keep(by keeper: ArtifactKeeper) async -> [Artifact] {
        let (artifacts, remarks) = await keeper.keep(reporter.tracker.artifacts)
        for remark in remarks { await output.write(remark, to: .notice) }
        return artifacts
    }

    private func received(after pending: CommandRetry?) async throws -> CommandState {
        guard let field = definition.fields.first(where: { $0.kind == .file })?.name,
            let file = try input.file(field)
        else { return try await attempts(after: pending) }
        let received = try await receive(file)
        defer { received.remove() }
        var run = self
        run.input = input.with(received, in: field)
        return try await run.attempts()
    }

    /// Receives the file, which the sender may still be sending.
    private func receive(_ file: FileInput) async throws -> ReceivedFile {
        let work = Task { [reporter, environment] in
            try await ReceivedFile.receive(file, in: environment.filesFolder) { progress in
                await reporter.write(
                    .active(
                        CommandState.receiving,
                        StateDetails(
                            values: ["file": .string(StateReport.shortened(file.filename))], progress: progress)))
            }
        }
        stopSwitch.onStop { work.cancel() }
        defer { stopSwitch.onStop(nil) }
        return try await work.value
    }

    private func attempts(after pending: CommandRetry? = nil) async throws -> CommandState {
        let attempts = 1 + (definition.retry?.limit ?? 0)
        var attempt = pending?.attempt ?? 1
        if let pending { try await wait(pending.interval) }
        while true {
            let end = try await runOnce()
            if stopSwitch.isStopped { throw CancellationError() }
            let known = await reporter.tracker
            if case .exited(let code, _) = end, definition.exitCodes.contains(code) {
                return .succeeded(
                    StateDetails(
                        show: known.text(definition.success), values: known.known, code: code == 0 ? nil : code,
                        slow: known.givenUp))
            }
            let problem = problem(end, known)
            guard attempt < attempts, let retry = definition.retry, end.canBeTriedAgain else { throw problem }
            attempt += 1
            try await wait(retry, problem, next: attempt, of: attempts)
        }
    }

    private func wait(
        _ retry: OperationDefinition.Retry, _ problem: CommandProblem, next attempt: Int, of attempts: Int
    ) async throws {
        await reporter.write(
            .retrying(
                CommandRetry(attempt: attempt, of: attempts, after: retry.interval, message: problem.message)))
        try await wait(retry.interval)
    }

    private func wait(_ interval: Duration) async throws {
        let pause = Task { [clock] in try await clock.sleep(for: interval) }
        stopSwitch.onStop { pause.cancel() }
        defer { stopSwitch.onStop(nil) }
        try await pause.value
    }

    // MARK: One attempt

    private func runOnce() async throws -> CommandEnd {
        if stopSwitch.isStopped { throw CancellationError() }
        let pipe = await StatePipe.make(in: environment.temporaryFolder, isShared: definition.user != nil)
        if pipe == nil {
            await output.write(
                "There is no pipe for states: the server's temporary folder cannot be used.", to: .notice)
        }
        let following = pipe.map { pipe in Task { await follow(pipe) } }
        let end: CommandEnd
        do {
            end = try await launch(pipe)
        } catch {
            pipe?.finish()
            pipe?.giveUp()
            throw error
        }
        pipe?.finish()
        let patience = Task { [clock] in try await pipe?.giveUp(after: Self.pipePatience, on: clock) }
        await following?.value
        patience.cancel()
        return end
    }

    private func launch(_ pipe: StatePipe?) async throws -> CommandEnd {
        let launch = try definition.launch(input, in: environment, states: pipe?.path)
        let command: RunningCommand
        // Must precede any report of the program. A run that was left to the next process begins no attempt.
        guard await reporter.begin() else { throw CancellationError() }
        do {
            command = try await RunningCommand.start(launch, by: helper)
        } catch let failure as CommandFailure {
            throw CommandProblem(message: failure.sentence(running: definition.program.name))
        }
        stopSwitch.onStop { command.stop() }
        defer { stopSwitch.onStop(nil) }
        let ending = Task { await command.end() }
        // The pipes stay open as long as a kept program has them.
        let closing = Task { [definition, clock] in
            guard case _ = await ending.value, definition.keepsOthers else { return }
            try await clock.sleep(for: Self.pipePatience)
            command.closeOutput()
        }
        async let errors: Void = follow(command.errors, .standardError, ending)
        await follow(command.output, .standardOutput, ending)
        await errors
        closing.cancel()
        let end = await command.end()
        if case .notStarted = end {} else { keeper?.begin() }
        return await explained(end, of: launch)
    }

    /// Adds what the program's file and the processes that it left say about its end.
    private func explained(_ end: CommandEnd, of launch: CommandLaunch) async -> CommandEnd {
        switch end {
        case .notStarted(var failure) where failure.isMissing:
            failure.explanation = await ScriptHead.of(launch)?.mistake(in: definition.program.name)
            return .notStarted(failure)
        case .exited(127, _):
            // The interpreter that `env` did not find.
            if let head = await ScriptHead.of(launch), head.hasReturn {
                await output.write(head.returnMistake(in: definition.program.name), to: .notice)
            }
        default: break
        }
        switch end {
        case .exited(_, let usage) where usage.outlived > 0, .signalled(_, let usage) where usage.outlived > 0:
            let programs =
                usage.outlived == 1
                ? "1 program that it left running was" : "\(usage.outlived) programs that it left running were"
            await output.write("\(programs) ended. With `keep: true` in the file, such programs are kept.", to: .notice)
        default: break
        }
        return end
    }

    private func follow(_ pipe: CommandPipe?, _ channel: OutputChannel, _ ending: Task<CommandEnd, Never>) async {
        guard let pipe else { return }
        var splitter = LineSplitter()
        // Before lines are split, cut and matched, because a secret in two pieces would not be found in either.
        var stream = MaskedStream(mask)
        var endsWithLine = true
        func split(_ bytes: [UInt8], isDrained: Bool, into pieces: inout [LineSplitter.Piece]) {
            // Unsafe memory: the splitter reads between the array's ends, during the array's lifetime.
            bytes.withUnsafeBytes { splitter.take($0, isDrained: isDrained) { pieces.append($0) } }
        }
        while let buffer = await pipe.next() {
            var pieces: [LineSplitter.Piece] = []
            let isDrained = buffer.readableBytes < CommandPipe.readSize
            if let last = buffer.readableBytesView.last { endsWithLine = last == UInt8(ascii: "\n") }
            split(stream.take(buffer.readableBytesView), isDrained: isDrained, into: &pieces)
            await print(reporter.take(pieces, on: channel))
            output.show(unfinished: splitter.unfinished, on: channel)
        }
        var pieces: [LineSplitter.Piece] = []
        // A program that is killed can have printed the beginning of a secret; one that succeeds has printed all.
        var isCut = false
        if !endsWithLine, stream.isHolding {
            if case .exited(0, _) = await ending.value {} else { isCut = true }
        }
        split(stream.finish(isCut: isCut), isDrained: false, into: &pieces)
        splitter.finish { pieces.append($0) }
        await print(reporter.take(pieces, on: channel))
    }

    private func follow(_ pipe: StatePipe) async {
        var splitter = LineSplitter()
        while let lines = await pipe.next(&splitter) { await print(reporter.take(json: lines)) }
    }

    /// Records lines, and pauses if the program changes its state too often.
    private func print(_ batch: StateReporter.Batch) async {
        var recorded: [(line: TellingLine.Line, channel: OutputChannel)] = []
        for line in batch.lines {
            let number = await output.write(line.text, to: line.channel, continues: line.continues)
            guard let plain = line.plain else { continue }
            recorded.append((TellingLine.Line(text: plain, number: number, at: stopwatch()), line.channel))
        }
        if !recorded.isEmpty { await reporter.note(recorded) }
        guard batch.pause > .zero, !stopSwitch.isStopped else { return }
        // Cancellation only ends the pause.
        try? await clock.sleep(for: batch.pause)
    }

    // MARK: Ends

    private func problem(_ end: CommandEnd, _ known: StateTracker) -> CommandProblem {
        var message = end.sentence(of: definition.program)
        if let text = known.text(definition.failure), !text.isEmpty { message = "\(text) \(message)" }
        var problem = CommandProblem(message: message)
        if case .exited(let code, _) = end { problem.code = code }
        if case .notStarted = end {
        } else if let line = known.telling.line {
            (problem.last, problem.line) = (StateReport.shortened(line.text), line.number)
        }
        problem.slow = known.givenUp
        return problem
    }
}

extension CommandEnd {
    /// Whether a retry can succeed, which it cannot if the program is missing.
    fileprivate var canBeTriedAgain: Bool {
        switch self {
        case .exited, .signalled, .lost: true
        case .notStarted(let failure): failure.step == "fork" || failure.step == "terminal"
        }
    }

    fileprivate func sentence(of program: OperationDefinition.Program) -> String {
        switch self {
        case .exited(let code, _): return "\(program.subject) ended with exit code \(code)."
        case .signalled(let signal, _):
            let meaning = signal.meaning.map { ": \($0)" } ?? ""
            return "\(program.subject) was ended by the signal \(signal)\(meaning)."
        case .notStarted(let failure): return failure.sentence(running: program.name)
        case .lost:
            return
                "The exit status of “\(program.name)” is unknown, because weir-exec was killed. Start it again."
        }
    }
}

/// Stops the current activity of a run: a program, or the wait for a retry.
final class StopSwitch: Sendable {
    private struct Core {
        var isStopped = false
        var action: (@Sendable () -> Void)?
    }

    private let core = Locked(Core())

    var isStopped: Bool { core.withLock(\.isStopped) }

    func stop() {
        let action = core.withLock { core in
            core.isStopped = true
            return core.action
        }
        action?()
    }

    /// Replaces the action of a stop, and calls it at once if the run is already stopped.
    func onStop(_ action: (@Sendable () -> Void)?) {
        let isStopped = core.withLock { core in
            core.action = action
            return core.isStopped
        }
        if isStopped { action?() }
    }
}
