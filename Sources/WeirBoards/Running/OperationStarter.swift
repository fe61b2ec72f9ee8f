import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

struct OperationStarter<Work: StateOperation>: RunStarter {
    let id: String
    let runner: OperationRunner<Work>
    let ticks: TickRecording
    let surroundings: RunSurroundings

    func start(
        _ request: StartRequest, willBegin: (LiveRun) -> Void, onEnd: @escaping @Sendable (String, Phase) -> Void
    ) throws(BoardError) -> String {
        let mask = request.mask
        let input = try input(of: request, mask)
        let foreign = foreignRun(request)
        let variation = variation(request, foreign)
        do {
            return try runner.start(input, id: request.run, variation) { run in
                let output = foreign == nil ? output(of: run, mask) : nil
                let live = LiveRun(request, operation: id, output: output, run: run) { [runner] in runner.hold(run) }
                foreign?.take(live, cause: { run.stopCause })
                willBegin(live)
                record(run, from: variation.state, live, mask, onEnd)
            }.id
        } catch {
            throw BoardError(.busy, error.message)
        }
    }

    private func input(of request: StartRequest, _ mask: SecretMask) throws(BoardError) -> Work.Input {
        do {
            var info: [CodingUserInfoKey: any Sendable] = [.run: request.run]
            if let content = request.content { info[.fileContent] = content as any Sendable }
            if let host = request.host { info[.stepsHost] = host }
            return try request.input.decode(Work.Input.self, userInfo: info)
        } catch {
            throw BoardError(
                .invalidInput, .invalidInput,
                ["reason": .text(mask.masked(CodingErrorText.sentence(for: error)))])
        }
    }

    private func foreignRun(_ request: StartRequest) -> ForeignRun<Work.Input, Work.State>? {
        guard case .elsewhere(let worker) = request.place, let assigner = surroundings.assigner else { return nil }
        return ForeignRun(
            worker: worker, isAssigned: request.beginning != nil, recorder: surroundings.recorder, assigner: assigner)
    }

    private func variation(
        _ request: StartRequest, _ foreign: ForeignRun<Work.Input, Work.State>?
    ) -> RunVariation<Work.Input, Work.State> {
        var variation = RunVariation<Work.Input, Work.State>()
        variation.work = request.failure.map { FailingWork(failure: $0) } ?? foreign
        guard let beginning = request.beginning else { return variation }
        // The caller has validated the state against an operation that may have been replaced since.
        variation.state = (try? beginning.state.state(as: Work.State.self)) ?? .initial
        variation.elapsed = beginning.elapsed
        // The run was already admitted, by another server or before a takeover.
        if request.place != .here { variation.reentry = .concurrent }
        return variation
    }

    private func output(of run: Run<Work.State>, _ mask: SecretMask) -> RunOutput? {
        let operation = runner.operation
        guard operation is any OutputOperation else { return nil }
        let output = surroundings.outputs.output(
            of: run.id, maximum: (operation as? any LimitedOutput)?.maximumOutput)
        output.mask(mask)
        run.print(to: output)
        return output
    }

    private func record(
        _ run: Run<Work.State>, from first: Work.State, _ live: LiveRun, _ mask: SecretMask,
        _ onEnd: @escaping @Sendable (String, Phase) -> Void
    ) {
        let (stream, recorder, logger) = (StreamID.run(run.id), surroundings.recorder, surroundings.logger)
        let watch = live.isHere ? watch(run, live) : nil
        if let beginning = live.request.beginning, let revision = beginning.revision {
            // The executing server's states are recorded by that server.
            if live.isHere {
                recorder.resume(stream, subject: id, beginning.state, revision: revision, ticks: ticks)
            }
        } else {
            // Not the current state, because a shutdown can have ended the run; its end follows with the cause.
            recorder.open(
                stream, subject: id, mask.masked(.describing(first)), opening: live.request.opening,
                ticks: ticks)
        }
        let last = Locked(first)
        let records = Locked(StateRecords<Work.State>())
        let subscription = run.state.subscribe(.lossless) { [output = live.output] state in
            if live.hasLeft { return }
            if state.phase.isEnded { output?.close() }
            if run.stopCause == nil { last.withLock { $0 = state } }
            let cause = state.phase == .cancelled ? run.cancellationCause.map { EndCause($0.description) } : nil
            guard let cause, cause.isShutdown, !live.request.isWatched else {
                let record = records.withLock { $0.next(state) }
                let masked = mask.masked(record)
                let at = recorder.offer(stream, masked, cause: cause?.description)
                if live.isHere, state.phase.isEnded { live.queuedEnd.resolve(RunEnd(masked, cause: cause, at: at)) }
                return
            }
            if live.isKept { return }
            let name = StateRecord.describing(last.withLock { $0 }).caseName
            recorder.offer(stream, .interrupted(after: name), cause: cause.description)
        } onEnd: { [output = live.output] _ in
            output?.close()
            if live.isKept {
                recorder.keep(stream)
            } else if !live.hasLeft {
                // The subscription of a run of steps that is left can be cancelled too late.
                recorder.close(stream)
                watch?.end(run.state.value.phase, cause: run.failure.map { mask.masked("\($0)") })
            }
            if let failure = run.failure, !failure.isExplained {
                // Pages and API responses show a generic sentence, so the log has the details. The error is quoted
                // because it may contain line breaks from outside.
                logger.error(
                    "A run failed with an error that has no explanation for people.",
                    metadata: ["run": "\(run.id)", "cause": "\(String(reflecting: mask.masked("\(failure)")))"])
            }
            live.queuedEnd.resolve(nil)
            onEnd(run.id, run.state.value.phase)
            live.endRecording()
        }
        live.keep(subscription)
    }

    private func watch(_ run: Run<Work.State>, _ live: LiveRun) -> RunWatch {
        let isResumed = live.request.beginning?.revision != nil
        let watch = RunWatch(run.id, of: id, isResumed: isResumed, surroundings.monitor)
        run.surround { await watch.carryOut($0) }
        return watch
    }
}

protocol RunStarter: Sendable {
    /// Starts a run, or joins one, according to the operation's reentry policy.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - willBegin: Called with a new run before its work begins and before its opening can be recorded.
    ///   - onEnd: Called when a new run has reached its end state, recorded or not.
    /// - Returns: The id of the started or joined run.
    /// - Throws: `invalidInput` for an input that does not decode, and `busy`.
    func start(
        _ request: StartRequest, willBegin: (LiveRun) -> Void, onEnd: @escaping @Sendable (String, Phase) -> Void
    ) throws(BoardError) -> String
}

struct OperationFactory<Work: StateOperation>: RunFactory {
    let operation: Work
    let reentry: ReentryPolicy
    let timeout: Duration?
    let ticks: TickRecording

    init(_ operation: Work, reentry: ReentryPolicy, timeout: Duration?, ticks: TickRecording) {
        self.operation = operation
        self.reentry = reentry
        self.timeout = timeout
        self.ticks = ticks
    }

    func starter(
        id: String, after earlier: (any RunStarter)?, _ surroundings: RunSurroundings, clock: any Clock<Duration>
    ) -> any RunStarter {
        let runner: OperationRunner<Work>
        if let known = (earlier as? OperationStarter<Work>)?.runner {
            known.replace(operation, reentry: reentry, timeout: timeout)
            runner = known
        } else {
            runner = OperationRunner(operation, reentry: reentry, timeout: timeout, clock: clock)
        }
        // Counters begin at 0 with the catalog.
        _ = surroundings.monitor.meters(of: id)
        return OperationStarter(id: id, runner: runner, ticks: ticks, surroundings: surroundings)
    }
}

protocol RunFactory: Sendable {
    /// Creates the operation's starter on one board.
    ///
    /// `earlier` is the starter of the replaced operation: if it has the same type, its active runs count for the
    /// reentry policy.
    func starter(
        id: String, after earlier: (any RunStarter)?, _ surroundings: RunSurroundings, clock: any Clock<Duration>
    ) -> any RunStarter
}

/// The dependencies of runs: recording, output, measuring, and the assignment to other servers.
struct RunSurroundings: Sendable {
    let recorder: Recorder
    let outputs: RunOutputs
    let assigner: RunAssigner?
    let monitor: RunMonitor
    let logger: Logger
}

/// Makes the records of a run's states, one after the other.
struct StateRecords<State: RecordableState> {
    private var last: (state: State, record: StateRecord)?

    mutating func next(_ state: State) -> StateRecord {
        guard let partly = state as? any PartlyRecordedState else { return .describing(state) }
        let record = record(of: partly) ?? .describing(state)
        last = (state, record)
        return record
    }

    private func record<Partly: PartlyRecordedState>(of state: Partly) -> StateRecord? {
        guard let last, let earlier = last.state as? Partly else { return nil }
        return try? state.record(after: earlier, recorded: last.record)
    }
}

extension StateRecord {
    /// The record of a state, or a record of the encoding error.
    static func describing(_ state: some RecordableState) -> StateRecord {
        do {
            return try StateRecord(state)
        } catch {
            let problem = JSONValue.string("This state cannot be recorded: \(CodingErrorText.sentence(for: error))")
            return StateRecord(caseName: "value", payload: ["problem": problem], phase: state.phase)
        }
    }
}
