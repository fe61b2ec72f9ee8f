import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// What the server that records does of a run that another one carries out: waits for the run's turn, hands it on, passes on
/// that it is to stop, and waits until its end is recorded.
///
/// So the run counts for limits, waits in queues and is joined, replaced and cancelled like those that are carried out here.
final class ForeignRun<Input: OperationInput, State: OperationState>: StateOperation {
    private struct Known: Sendable {
        let live: LiveRun
        let cause: @Sendable () -> CancellationCause?
    }

    private let worker: Int64
    private let isAssigned: Bool
    private let recorder: Recorder
    private let assigner: RunAssigner
    private let known = Locked<Known?>(nil)

    /// A run for the process with that number, which may carry it out already.
    init(worker: Int64, isAssigned: Bool, recorder: Recorder, assigner: RunAssigner) {
        self.worker = worker
        self.isAssigned = isAssigned
        self.recorder = recorder
        self.assigner = assigner
    }

    /// Takes the run that this is the work of, before it begins, and what tells why that is cancelled.
    func take(_ live: LiveRun, cause: @escaping @Sendable () -> CancellationCause?) {
        known.withLock { $0 = Known(live: live, cause: cause) }
    }

    func perform(_ input: Input, state: MutableStateFlow<State>) async throws {
        guard let known = known.withLock({ $0 }) else { return }
        let live = known.live
        if !isAssigned {
            // From its opening on, its changes come from the other server; until then, a run that is cancelled ends here.
            guard await live.opened.value() != nil, !Task.isCancelled, recorder.leave(.run(live.id)) else {
                throw CancellationError()
            }
        }
        live.isHandedOn.withLock { $0 = true }
        await assigner.assign(live.id, to: worker, isKnown: isAssigned)
        if await live.lastState.value() == nil, live.lastState.resolved == nil {
            await assigner.stop(live.id, worker, known.cause() ?? .itself)
        }
        // Its task may be cancelled, and a cancelled task waits for nothing.
        let last = await Task { await live.lastState.value() }.value ?? nil
        guard let last, let end = try? last.state(as: State.self), end.phase.isEnded else { throw CancellationError() }
        state.value = end
    }
}
