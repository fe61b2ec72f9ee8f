import WeirFlows
import WeirStates

/// What the runner does with a run.
extension Run {
    /// Seals the flow as soon as the work writes an end state, and says so once the flow is sealed, for whatever reason.
    func guardEnd(_ onEnd: @escaping @Sendable () -> Void) {
        let guardian = flow.subscribe(.lossless) { [flow] state in
            if state.phase.isEnded { flow.seal { _ in state } }
        } onEnd: { _ in
            onEnd()
        }
        keep(guardian)
    }

    /// Begins the work in a scope; `onReturn` is called once, when it has returned or is known never to begin.
    func begin<Work: StateOperation>(
        _ operation: Work, _ input: Work.Input, in scope: FlowScope, timeout: Duration?, clock: any Clock<Duration>,
        onReturn: @escaping @Sendable () -> Void
    ) where Work.State == State {
        core.withLock { $0.hasBegun = true }
        let work = scope.launch {
            await withTaskCancellationHandler {
                self.startTimer(timeout, clock)
                await self.perform(operation, input)
            } onCancel: {
                self.cancel(.scope)
            }
        }
        let isStopping = core.withLock { core in
            core.work = work
            return core.isStopping
        }
        if isStopping { work.cancel() }
        keep(
            work.outcome.subscribe(.lossless) { outcome in
                guard outcome != nil else { return }
                self.conclude()
                onReturn()
            })
    }

    private func perform<Work: StateOperation>(_ operation: Work, _ input: Work.Input) async
    where Work.State == State {
        do {
            if let printing = operation as? any OutputOperation<Work.Input, State> {
                try await printing.perform(input, state: flow, output: core.withLock { $0.output })
            } else {
                try await operation.perform(input, state: flow)
            }
            let last = flow.value
            if !last.phase.isEnded {
                settle(.failed(OperationLeftUnfinished(operation: "\(Work.self)", state: "\(last)")))
            }
        } catch is CancellationError {
            // The work can notice that its scope ends before `onCancel` is called.
            settle(.cancelled(Task.isCancelled ? .scope : .itself))
        } catch {
            settle(.failed(error))
        }
    }

    private func startTimer(_ timeout: Duration?, _ clock: any Clock<Duration>) {
        guard let timeout else { return }
        let rest = max(timeout - core.withLock { $0.elapsed }, .zero)
        let timer = Task {
            do {
                try await clock.sleep(for: rest)
            } catch {
                return  // The run ended in time.
            }
            end(.failed(OperationTimeout(limit: timeout)))
        }
        core.withLock { $0.timer = timer }
    }

    /// Ends the run for good: its flow, if nobody has, and its outcome.
    func conclude() {
        settle(.cancelled(.scope))
        let (decision, timer, subscriptions) = core.withLock { core in
            defer {
                core.work = nil
                core.timer = nil
                core.subscriptions = []
                core.hasReturned = true
            }
            return (core.decision, core.timer, core.subscriptions)
        }
        timer?.cancel()
        for subscription in subscriptions { subscription.cancel() }
        ending.seal(with: outcome(of: flow.value, decision))
    }

    private func outcome(of last: State, _ decision: RunDecision?) -> RunOutcome {
        switch (last.phase, decision) {
        case (.succeeded, _): .succeeded
        case (.cancelled, .cancelled(let cause)): .cancelled(cause)
        case (.cancelled, _): .cancelled(.itself)
        case (_, .failed(let error)): .failed(error)
        case (_, _): .failed(OperationEndedInFailure(state: last))
        }
    }

    private func keep(_ subscription: FlowSubscription) {
        core.withLock { core in
            if !core.hasReturned { core.subscriptions.append(subscription) }
        }
    }
}
