import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Tells other servers which runs they carry out, for the server that records, and ends the runs of those that are gone.
final class RunAssigner: Sendable {
    private struct Core {
        /// The runs that are known to be assigned.
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

    /// Lets a process carry out a run, unless it is known to do so; returns once that is written down.
    func assign(_ run: String, to worker: Int64, isKnown: Bool) async {
        if !isKnown { await insist(run, worker, nil) }
        core.withLock { _ = $0.assigned.insert(run) }
    }

    /// Asks the process that carries out a run to stop it.
    func stop(_ run: String, _ worker: Int64, _ cause: CancellationCause) async {
        await insist(run, worker, cause.description)
    }

    /// Writes it down, however often that fails, and though its caller is cancelled.
    private func insist(_ run: String, _ worker: Int64, _ cause: String?) async {
        await Task { [self] in
            while !core.withLock({ $0.isStopped }) {
                do {
                    return try await journal.assign(run, to: worker, stopping: cause)
                } catch {
                    try? await clock.sleep(for: .seconds(1))
                }
            }
        }.value
    }

    /// All assignments.
    func assignments() async throws -> [RunAssignment] { try await journal.assignments(of: nil, after: 0) }

    /// Ends the runs whose processes are gone, and forgets what was assigned to these; to be called each second.
    ///
    /// A process that is there gives back itself what it has carried out, once the output is recorded, too. `workers` tells the numbers of the processes that are there, and knows of all to which something is assigned by then.
    func tend(_ workers: @Sendable () -> Set<Int64>) async throws {
        let known = core.withLock { $0.assigned }
        let all = try await assignments()
        let workers = workers()
        if known.isEmpty, all.isEmpty { return }
        let going = Set(try await journal.unfinishedRuns().map(\.id))
        let lost = all.filter { going.contains($0.run) && !workers.contains($0.worker) }.map(\.run)
        // Those that were taken away from a process before, and whose end could not be recorded then.
        let left = known.intersection(going).subtracting(all.map(\.run))
        try await interrupt(left.union(lost))
        let over = all.filter { !going.contains($0.run) && !workers.contains($0.worker) }.map(\.run)
        try await journal.release(over)
        core.withLock { $0.assigned.formIntersection(going) }
    }

    /// Asks nobody any more.
    func stop() { core.withLock { $0.isStopped = true } }

    private func interrupt(_ runs: Set<String>) async throws {
        guard !runs.isEmpty else { return }
        try await journal.release(Array(runs))
        // Read again: until they were taken away, their changes came.
        let records = try await journal.unfinishedRuns().filter { runs.contains($0.id) }
        guard !records.isEmpty else { return }
        let ends = records.map { ChangeDraft.interruption(of: $0, at: now(), cause: .stopped) }
        try await recorder.whileNothingIsRecorded { [journal] in _ = try await journal.append(ends) }
        logger.warning(
            "Another server that is gone carried out runs, which are ended.", metadata: ["runs": "\(records.count)"])
    }
}
