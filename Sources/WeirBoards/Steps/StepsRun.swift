import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// One run of a steps operation: starts the runs of steps, follows them, and asks for approvals.
final class StepsRun: Sendable {
    let plan: StepsPlan
    let host: StepsHost
    let values: StepValues
    private let flow: MutableStateFlow<StepsState>
    private let core: Locked<StepsMachine>
    /// The waits and runs to end when the whole run is stopped, without those of `finally` steps.
    private let stops = StepStops()

    init(
        _ plan: StepsPlan, _ machine: StepsMachine, input: [String: JSONValue], fields: [InputField], host: StepsHost,
        flow: MutableStateFlow<StepsState>
    ) {
        self.plan = plan
        self.host = host
        self.flow = flow
        values = StepValues(input: input, fields: fields, host: host)
        core = Locked(machine)
    }

    /// Performs the remaining steps.
    ///
    /// Throws `CancellationError` if the run was stopped, after the `finally` steps, or if the server shuts down.
    func perform() async throws {
        if case .stopping = flow.value { stopAgain() }
        await withTaskGroup(of: Void.self) { group in
            for index in core.withLock({ $0.current }) { group.addTask { await self.takeUp(index) } }
            while !isClosing {
                for begin in begins() { group.addTask { await self.begin(begin.index, attempt: begin.attempt) } }
                guard await group.next() != nil else { break }
            }
        }
        if isClosing || isStopped { throw CancellationError() }
        flow.update { last in
            if case .stopping = last { return last }
            return last.phase.isEnded ? last : core.withLock { $0.end }
        }
    }

    /// Asks the current steps to stop, and starts no further step, except those that follow all others.
    func stop() {
        guard !isClosing else { return stops.stop() }
        let cause = host.stopCause
        change { $0.stop(cause) }
        // Recorded at once, because a process that continues the run needs the cause.
        Task { [host] in await host.recorded() }
        stops.stop()
    }

    /// Continues to stop a run that was stopping when the last process ended.
    private func stopAgain() {
        let cause = progress.stop
        change { $0.stop(cause) }
        stops.stop()
        if let cause { host.cancelAgain(cause) }
    }

    private func begins() -> [StepsMachine.Begin] {
        var begins: [StepsMachine.Begin] = []
        change { begins = $0.next() }
        return begins
    }

    // MARK: State

    /// Whether the server shuts down, so that another process continues.
    var isClosing: Bool { host.closing.isStopped }
    private var isStopped: Bool { core.withLock(\.isStopped) }
    var progress: StepsProgress { core.withLock(\.progress) }

    /// Whether a step must not go on.
    func isHalted(_ step: StepsPlan.Step) -> Bool { isClosing || (isStopped && !step.isFinally) }

    /// The values that a step can refer to.
    func moment(of step: StepsPlan.Step, item: StepItem? = nil) -> StepMoment {
        core.withLock { machine in
            guard step.isFinally else { return StepMoment(progress: machine.progress, item: item) }
            return StepMoment(
                progress: machine.progress, outcome: machine.outcome, failedSteps: machine.failedSteps, item: item)
        }
    }

    /// Changes the machine, and publishes its state if that changed.
    func change(_ body: (inout StepsMachine) -> Void) {
        let hasChanged = core.withLock { machine in
            let before = machine.progress
            body(&machine)
            return machine.progress != before
        }
        guard hasChanged else { return }
        // The state is read inside the update, so that the later of two concurrent writes contains both changes.
        flow.update { last in
            let state = core.withLock { $0.state }
            if case .stopping = last { return .stopping(state.steps) }
            return last.phase.isEnded ? last : state
        }
    }

    func change(_ index: Int, _ body: (inout StepsProgress.Step) -> Void) { change { $0.change(index, body) } }

    // MARK: Waiting

    /// Waits for a body, which `action` ends if the run is stopped, unless the step follows all others.
    func stopping<Result: Sendable>(
        _ step: StepsPlan.Step, by action: @escaping @Sendable () -> Void, _ body: () async -> Result
    ) async -> Result {
        guard !step.isFinally else { return await body() }
        let number = stops.add(action)
        defer { stops.remove(number) }
        return await body()
    }

    /// Waits for a body, which `action` ends if the run is stopped or the server shuts down.
    func interrupting<Result: Sendable>(
        _ step: StepsPlan.Step, by action: @escaping @Sendable () -> Void, _ body: () async -> Result
    ) async -> Result {
        let number = host.closing.add(action)
        defer { host.closing.remove(number) }
        return await stopping(step, by: action, body)
    }

    func pause(_ step: StepsPlan.Step, for interval: Duration) async {
        let pause = Task { [host] in try? await host.clock.sleep(for: interval) }
        await interrupting(step, by: { pause.cancel() }) { await pause.value }
    }
}
