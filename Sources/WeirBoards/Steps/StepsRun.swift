import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// One run of a steps operation: starts a run for each step, follows it, and asks for approvals between steps.
final class StepsRun: Sendable {
    private struct Core {
        var machine: StepsMachine
        var isStopped = false
        var onStop: (@Sendable () -> Void)?
    }

    let plan: StepsPlan
    let host: StepsHost
    let values: StepValues
    private let flow: MutableStateFlow<StepsState>
    private let core: Locked<Core>

    init(
        _ plan: StepsPlan, _ machine: StepsMachine, input: [String: JSONValue], fields: [InputField], host: StepsHost,
        flow: MutableStateFlow<StepsState>
    ) {
        self.plan = plan
        self.host = host
        self.flow = flow
        values = StepValues(input: input, fields: fields, host: host)
        core = Locked(Core(machine: machine))
    }

    /// Performs the remaining steps.
    ///
    /// Throws `CancellationError` if the run was stopped.
    func perform() async throws {
        if case .stopping = flow.value { throw CancellationError() }
        if let index = core.withLock({ $0.machine.current }) { try await takeUp(index) }
        while true {
            try checkStopped()
            let next = core.withLock { $0.machine.next() }
            guard case .begin(let index, let attempt) = next else { break }
            let step = plan.steps[index]
            switch step.work {
            case .approval(let approval): try await ask(index, step, approval)
            case .run(let operation, let input):
                try await run(index, step, operation, input, attempt: attempt)
            }
        }
        flow.update { last in
            if case .stopping = last { return last }
            return last.phase.isEnded ? last : core.withLock { $0.machine.end }
        }
    }

    /// Asks the current step to stop, and starts no further step.
    func stop() {
        let onStop = core.withLock { core in
            core.isStopped = true
            return core.onStop
        }
        onStop?()
    }

    private func checkStopped() throws {
        if core.withLock({ $0.isStopped }) { throw CancellationError() }
    }

    /// Sets the handler that is called when the run is stopped: immediately, if it already was.
    private func onStop(_ body: (@Sendable () -> Void)?) {
        let isStopped = core.withLock { core in
            core.onStop = body
            return core.isStopped
        }
        if isStopped { body?() }
    }

    private func change(_ body: (inout StepsMachine) -> Void) {
        core.withLock { body(&$0.machine) }
        // The state is read inside the update, so that the later of two concurrent writes contains both changes.
        flow.update { last in
            let state = core.withLock { $0.machine.state }
            if case .stopping = last { return .stopping(state.steps) }
            return last.phase.isEnded ? last : state
        }
    }

    private var progress: StepsProgress { core.withLock { $0.machine.progress } }

    // MARK: Running steps

    private func run(
        _ index: Int, _ step: StepsPlan.Step, _ operation: String, _ input: [String: StepValue], attempt: Int
    ) async throws {
        let now = host.now
        change {
            $0.change(index) { step in
                (step.status, step.attempt, step.began) = (.running, attempt, step.began ?? now)
                (step.run, step.state, step.progress) = (nil, nil, nil)
            }
        }
        // Recorded before the step begins, so that it begins only once, whenever the process ends.
        await host.recorded()
        try checkStopped()
        let id: String
        do throws(StepRefusal) {
            id = try await host.start(
                operation, input: values.input(input, after: progress), step: step.name, attempt: attempt)
        } catch {
            if error.isShutdown { throw CancellationError() }
            return change { $0.end(index, .failed, at: host.now, error.ending(of: step.name)) }
        }
        change { $0.change(index) { $0.run = id } }
        try await follow(index, step, id, attempt: attempt)
    }

    private func follow(_ index: Int, _ step: StepsPlan.Step, _ id: String, attempt: Int) async throws {
        let late = Deferred<Bool>()
        let timer = step.timeout.map { [host] timeout in
            Task {
                try await host.clock.sleep(for: timeout)
                late.resolve(true)
                host.cancel(id, .overtime)
            }
        }
        onStop { [host] in host.cancel(id, .whole) }
        let record = await host.follow(id) { [weak self] record in
            self?.change {
                $0.change(index) { step in
                    guard step.run == id, step.status == .running else { return }
                    (step.state, step.progress) = (record.state.caseName, record.state.progress)
                }
            }
        }
        onStop(nil)
        timer?.cancel()
        try await settle(index, step, record, attempt: attempt, isLate: late.resolved != nil)
    }

    private func settle(
        _ index: Int, _ step: StepsPlan.Step, _ record: RunRecord?, attempt: Int, isLate: Bool
    ) async throws {
        let at = record?.endedAt ?? host.now
        let name = step.name
        let cause = record?.cause.map { EndCause($0) }
        // The next process continues.
        if cause?.isShutdown == true || cause == .kept { throw CancellationError() }
        change { $0.change(index) { $0.state = record?.state.caseName ?? $0.state } }
        switch record?.state.phase {
        case .succeeded: return change { $0.end(index, .succeeded, at: at, nil) }
        case .cancelled where !isLate:
            var (by, detail): (String?, String?) = (nil, nil)
            if case .actor(let actor) = cause { by = actor } else { detail = cause?.description }
            change {
                $0.end(index, .cancelled, at: at, .init(.stepCancelled, step: name, by: by, detail: detail))
            }
            return try checkStopped()
        default: break
        }
        try checkStopped()
        guard let retry = step.retry, attempt <= retry.limit else {
            let kind: StepsProgress.Ending.Kind = isLate ? .tookTooLong : .stepFailed
            return change { $0.end(index, .failed, at: at, .init(kind, step: name)) }
        }
        change {
            $0.change(index) { ($0.status, $0.progress) = (.retrying, nil) }
        }
        try await wait(index, retry.interval)
    }

    /// Waits before the next attempt of a step.
    private func wait(_ index: Int, _ interval: Duration) async throws {
        let pause = Task { [host] in try await host.clock.sleep(for: interval) }
        onStop { pause.cancel() }
        try await pause.value
        onStop(nil)
        change { $0.change(index) { $0.status = .pending } }
    }

    /// Continues with the step that was current when the last process ended.
    private func takeUp(_ index: Int) async throws {
        let step = plan.steps[index]
        let known = progress.steps[index]
        switch (known.status, step.work) {
        case (.asking, .approval(let approval)): return try await ask(index, step, approval)
        case (.running, .run(let operation, _)):
            let attempt = known.attempt ?? 1
            let record = await host.run(of: step.name, attempt: attempt, operation: operation)
            if let record {
                change { $0.change(index) { $0.run = record.id } }
                if host.isLive(record.id) { return try await follow(index, step, record.id, attempt: attempt) }
                let isShutdown = record.cause.map { EndCause($0).isShutdown } ?? false
                if record.state.phase.isEnded, record.state.phase != .interrupted, !isShutdown {
                    return try await settle(index, step, record, attempt: attempt, isLate: false)
                }
            }
            guard !step.isRepeatable else { break }
            return change { $0.end(index, .interrupted, at: host.now, .init(.stepInterrupted, step: step.name)) }
        case (.retrying, .run): return try await wait(index, step.retry?.interval ?? .zero)
        default: break
        }
        change { $0.change(index) { $0.status = .pending } }
    }

    // MARK: Approvals

    private func ask(_ index: Int, _ step: StepsPlan.Step, _ approval: StepsPlan.Approval) async throws {
        let now = host.now
        let prompt = await values.text(approval.prompt, after: progress)
        let over = Deferred<Bool>()
        host.decisions.open(step.name) { [weak self] decision in
            self?.decide(index, step, decision)
            over.resolve(true)
        }
        // Published after the approval accepts decisions, unless one has already been made.
        change {
            $0.change(index) { step in
                guard step.status != .asking, step.decision == nil else { return }
                (step.status, step.began, step.prompt) = (.asking, now, prompt)
                step.until = approval.within.map { now.after($0.milliseconds) }
            }
        }
        onStop { over.resolve(true) }
        defer {
            onStop(nil)
            host.decisions.close()
        }
        if let until = progress.steps[index].until {
            // Waits in intervals, so that a change of the system time is noticed.
            while over.resolved == nil, until > host.now {
                let rest = min(until - host.now, 30_000)
                _ = await over.value(within: .milliseconds(rest), clock: host.clock)
            }
            try checkStopped()
            let nobody = StepsProgress.Decision(isApproved: approval.approvesByItself, by: nil)
            _ = host.decisions.decide(nobody, at: step.name)
        } else {
            _ = await over.value()
        }
        try checkStopped()
    }

    private func decide(_ index: Int, _ step: StepsPlan.Step, _ decision: StepsProgress.Decision) {
        let ending: StepsProgress.Ending =
            decision.by.map { .init(.refused, step: step.name, by: $0, detail: decision.comment) }
            ?? .init(.lapsed, step: step.name)
        change {
            $0.change(index) { $0.decision = decision }
            $0.end(index, decision.isApproved ? .succeeded : .failed, at: host.now, decision.isApproved ? nil : ending)
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000)
        return isOver ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
