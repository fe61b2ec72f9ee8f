import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Assigns runs to other servers on behalf of the recording one, and ends the runs of servers that are gone.
final class RunAssigner: Sendable {
    private struct Core {
        var assigned: Set<String> = []
        var isStopped = false
    }

    private let journal: any SharedJournal
    private let recorder: Recorder
    private let now: @Sendable () -> Timestamp
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let core = Locked(Core())

    init(
        _ journal: any SharedJournal, recorder: Recorder, now: @escaping @Sendable () -> Timestamp,
        clock: any Clock<Duration>, logger: Logger
    ) {
        self.journal = journal
        self.recorder = recorder
        self.now = now
        self.clock = clock
        self.logger = logger
    }

    /// Assigns a run to a worker unless the assignment is known; returns once it is recorded.
    func assign(_ run: String, to worker: Int64, isKnown: Bool) async {
        if !isKnown { await insist(run, worker, nil) }
        core.withLock { _ = $0.assigned.insert(run) }
    }

    func stop(_ run: String, _ worker: Int64, _ cause: CancellationCause) async {
        await insist(run, worker, cause.description)
    }

    /// Records an assignment, retrying until it succeeds, even if the caller is cancelled.
    private func insist(_ run: String, _ worker: Int64, _ cause: String?) async {
        await Task { [self] in
            var failures = 0
            while !core.withLock({ $0.isStopped }) {
                do {
                    return try await journal.assign(run, to: worker, stopping: cause)
                } catch {
                    failures += 1
                    try? await recorder.pause(after: failures)
                }
            }
        }.value
    }

    func assignments() async throws -> [RunAssignment] { try await journal.assignments(of: nil, after: 0) }

    /// Ends the runs whose workers are gone, and deletes the assignments of those workers; called once a second.
    ///
    /// A live worker returns its own finished runs once their output is recorded. `workers` returns the numbers of the
    /// live workers; it is called after the assignments are read, so it includes every live worker that has one.
    func tend(_ workers: @Sendable () -> Set<Int64>) async throws {
        let known = core.withLock { $0.assigned }
        let all = try await assignments()
        let workers = workers()
        if known.isEmpty, all.isEmpty { return }
        let going = Set(try await journal.unfinishedRuns().map(\.id))
        let lost = all.filter { going.contains($0.run) && !workers.contains($0.worker) }.map(\.run)
        // Runs that were unassigned before, but whose end could not be recorded.
        let left = known.intersection(going).subtracting(all.map(\.run))
        try await interrupt(left.union(lost))
        let over = all.filter { !going.contains($0.run) && !workers.contains($0.worker) }.map(\.run)
        try await journal.release(over)
        core.withLock { $0.assigned.formIntersection(going) }
    }

    func stop() { core.withLock { $0.isStopped = true } }

    private func interrupt(_ runs: Set<String>) async throws {
        guard !runs.isEmpty else { return }
        try await journal.release(Array(runs))
        // Read again, since changes could arrive until the assignments were deleted.
        let records = try await journal.unfinishedRuns().filter { runs.contains($0.id) }
        guard !records.isEmpty else { return }
        let ends = records.map { ChangeDraft.interruption(of: $0, at: now(), cause: .stopped) }
        try await recorder.whileNothingIsRecorded { [journal] in _ = try await journal.append(ends) }
        logger.warning(
            "Another server that is gone carried out runs, which are ended.", metadata: ["runs": "\(records.count)"])
    }
}

/// The recording server's stand-in for a run that another server carries out.
///
/// It waits for the run's turn, assigns the run, forwards cancellations, and waits until the run's end is recorded. The
/// run therefore counts toward limits, waits in queues, and is joined, replaced and cancelled like a local run.
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

    /// Creates a run for the worker with that number, which may already carry it out.
    init(worker: Int64, isAssigned: Bool, recorder: Recorder, assigner: RunAssigner) {
        self.worker = worker
        self.isAssigned = isAssigned
        self.recorder = recorder
        self.assigner = assigner
    }

    /// Sets the run that this operation performs, before it begins, and the source of its cancellation cause.
    func take(_ live: LiveRun, cause: @escaping @Sendable () -> CancellationCause?) {
        known.withLock { $0 = Known(live: live, cause: cause) }
    }

    func perform(_ input: Input, state: MutableStateFlow<State>) async throws {
        guard let known = known.withLock({ $0 }) else { return }
        let live = known.live
        if !isAssigned {
            // After the assignment, changes are recorded by the other server; a run that is cancelled before it ends
            // here.
            guard await live.opened.value() != nil, !Task.isCancelled, await recorder.leave(.run(live.id)) else {
                throw CancellationError()
            }
        }
        live.isHandedOn.withLock { $0 = true }
        await assigner.assign(live.id, to: worker, isKnown: isAssigned)
        if await live.lastState.value() == nil, live.lastState.resolved == nil {
            await assigner.stop(live.id, worker, known.cause() ?? .itself)
        }
        // In a task of its own, because a cancelled task would not wait.
        let last = await Task { await live.lastState.value() }.value ?? nil
        guard let last, let end = try? last.state(as: State.self), end.phase.isEnded else { throw CancellationError() }
        state.value = end
    }
}
