import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Carries out the runs that the server that records assigns to this one.
final class RunWorker: Sendable {
    private struct Core {
        /// Up to where the assignments are known.
        var place: Int64 = 0
        /// The runs that have begun here, until they are no longer assigned; without a run where it could not begin.
        var begun: [String: LiveRun?] = [:]
    }

    private let journal: any SharedJournal
    private let launcher: Launcher
    private let recorder: Recorder
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let core = Locked(Core())
    private let lock = AsyncLock()
    /// What came with the starts of runs that this server is about to carry out.
    let parts = RunPartsKeeper()

    init(
        _ journal: any SharedJournal, launcher: Launcher, recorder: Recorder, now: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.journal = journal
        self.launcher = launcher
        self.recorder = recorder
        self.now = now
        self.logger = logger
    }

    /// The number by which this process is assigned runs.
    var number: Int64? { journal.worker }

    /// Begins what is assigned, and stops what is to stop.
    ///
    /// Throws `JournalError`; the next call goes on from there.
    func look() async throws {
        guard let worker = journal.worker else { return }
        try await lock.withLock {
            let place = core.withLock { $0.place }
            for assignment in try await journal.assignments(of: worker, after: place) {
                guard !launcher.runs.isClosed else { return }
                try await take(assignment)
                core.withLock { $0.place = assignment.place }
            }
        }
    }

    /// Gives back the runs of which everything is recorded, and gives up those that are no longer this server's, as the one
    /// that records has ended them after this one was silent for too long; to be called each second.
    ///
    /// Throws `JournalError`.
    func tidy() async throws {
        guard let worker = journal.worker else { return }
        // Of those that end before they begin, such as in a queue.
        for run in parts.runs where try await journal.run(run)?.endedAt != nil { parts.drop(run) }
        let begun = core.withLock { $0.begun }
        guard !begun.isEmpty else { return }
        let assigned = Set(try await journal.assignments(of: worker, after: 0).map(\.run))
        for (id, live) in begun where !assigned.contains(id) {
            core.withLock { $0.begun[id] = nil }
            recorder.abandon(.run(id))
            live?.output?.giveUp()
            live?.cancel(CancellationCause(.stopped))
        }
        let over = begun.filter { id, live in
            assigned.contains(id) && launcher.runs[id] == nil && live?.output?.isSettled != false
        }
        try await journal.giveBack(Array(over.keys))
        for id in over.keys {
            core.withLock { $0.begun[id] = nil }
            // Without effect unless another server has recorded the end.
            recorder.abandon(.run(id))
        }
    }

    private func take(_ assignment: RunAssignment) async throws {
        if core.withLock({ $0.begun[assignment.run] == nil }) {
            try await begin(assignment.run)
            core.withLock { $0.begun[assignment.run] = .some(launcher.runs[assignment.run]) }
        }
        if let cause = assignment.cause { launcher.runs[assignment.run]?.cancel(CancellationCause(cause)) }
    }

    private func begin(_ run: String) async throws {
        guard let record = try await journal.run(run), record.endedAt == nil else { return }
        let cause: String
        do {
            let isWhole = try parts.begin(run) { try launcher.resume(record, place: .assigned, parts: $0) }
            if isWhole { return }
            cause = "what came with its start was lost, as the server that records did not answer in time"
        } catch {
            logger.error(
                "A run was started that this server cannot carry out. Give all servers the same operations.",
                metadata: ["run": "\(run)", "operation": "\(record.operation)", "cause": "\(Quoted(error))"])
            cause = "the server where it was started does not have this operation"
        }
        let end = ChangeDraft.interruption(of: record, at: now(), cause: .other(cause))
        try await recorder.whileNothingIsRecorded { [journal] in _ = try await journal.append([end]) }
    }
}
