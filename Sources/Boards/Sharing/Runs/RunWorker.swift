import Flows
import Journals
import Logging
import Operations
import States

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

    /// Gives up the runs that are no longer this server's; to be called each second.
    ///
    /// They have ended, or the server that records has ended them, as this one was silent for too long.
    ///
    /// Throws `JournalError`.
    func tidy() async throws {
        guard let worker = journal.worker else { return }
        let begun = core.withLock { $0.begun }
        guard !begun.isEmpty else { return }
        let assigned = Set(try await journal.assignments(of: worker, after: 0).map(\.run))
        for (id, live) in begun where !assigned.contains(id) || launcher.runs[id] == nil {
            core.withLock { $0.begun[id] = nil }
            // Without effect on a run whose end this server has recorded.
            recorder.abandon(.run(id))
            live?.output?.giveUp()
            live?.cancel(CancellationCause(.stopped))
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
        do throws(BoardError) {
            try launcher.resume(record, place: .assigned)
        } catch {
            logger.error(
                "A run was started that this server cannot carry out. Give all servers the same operations.",
                metadata: ["run": "\(run)", "operation": "\(record.operation)", "cause": "\(Quoted(error))"])
            let end = ChangeDraft.interruption(
                of: record, at: now(), cause: .other("the server where it was started does not have this operation"))
            try await recorder.whileNothingIsRecorded { [journal] in _ = try await journal.append([end]) }
        }
    }
}
