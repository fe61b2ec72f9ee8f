import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Carries out the runs that the recording server assigns to this one.
final class RunWorker: Sendable {
    private struct Core {
        /// The place of the last assignment that was processed.
        var place: Int64 = 0
        /// The runs that have begun here and are still assigned; the value is nil if the run could not begin.
        var begun: [String: LiveRun?] = [:]
    }

    private let journal: any SharedJournal
    private let launcher: Launcher
    private let recorder: Recorder
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let core = Locked(Core())
    private let lock = AsyncLock()
    /// The files and secrets of runs that this server is about to carry out.
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

    /// The worker number under which runs are assigned to this process.
    var number: Int64? { journal.worker }

    /// Starts newly assigned runs, and stops those that are marked to stop.
    ///
    /// Throws `JournalError`; the next call resumes after the last processed assignment.
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

    /// Returns the runs whose changes and output are completely recorded, and abandons those that are not assigned
    /// here.
    ///
    /// The recording server ends the runs of a server that was silent for too long. Called once a second. Throws
    /// `JournalError`.
    func tidy() async throws {
        guard let worker = journal.worker else { return }
        // Parts of runs that ended before they began, such as in a queue.
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
            // Has no effect unless another server has recorded the end.
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
        let refusal = await launcher.refusal(of: record)
        do {
            let isWhole = try parts.begin(run) {
                try launcher.resume(record, place: .assigned, parts: $0, failure: refusal)
            }
            if isWhole { return }
            cause = "what came with its start was lost, as the server that records did not answer in time"
        } catch {
            logger.error(
                "A run was started that this server cannot carry out. Give all servers the same operations.",
                metadata: ["run": "\(run)", "operation": "\(record.operation)", "cause": "\(Quoted(error))"])
            cause =
                (error as? BoardError)?.code == .unknownOperation
                ? "the server where it was started does not have this operation"
                : "the server where it was started cannot carry it out: \(error)"
        }
        let end = ChangeDraft.interruption(of: record, at: now(), cause: .other(cause))
        try await recorder.whileNothingIsRecorded { [journal] in _ = try await journal.append([end]) }
    }
}

/// The parts of a start that are neither recorded nor sent to other servers.
struct RunParts: Sendable {
    var secrets: [String: JSONValue] = [:]
    var content: (any FileContent)?

    var isEmpty: Bool { secrets.isEmpty && content == nil }
}

/// Keeps the parts of runs that another server admits and this one carries out, from before the request until the run
/// begins.
final class RunPartsKeeper: Sendable {
    private struct Kept: Sendable {
        let parts: RunParts
        let begun = Deferred<Bool>()
        var isTaken = false
    }

    private struct Core {
        var kept: [String: Kept] = [:]
        /// Runs whose parts were dropped although they may still be assigned; oldest first.
        var lost: [String] = []
    }

    /// The maximum number of those: a withdrawn command is carried out within seconds, or never.
    private static let lostLimit = 1_024

    private let core = Locked(Core())

    /// The runs whose parts are kept.
    var runs: [String] { core.withLock { Array($0.kept.keys) } }

    func keep(_ parts: RunParts, for run: String) { core.withLock { $0.kept[run] = Kept(parts: parts) } }

    /// Begins a run with its parts, and releases them.
    ///
    /// Calls `body` with empty parts for a run that has none. Returns false without calling `body` if the parts were
    /// lost.
    func begin(_ run: String, _ body: (RunParts) throws -> Void) rethrows -> Bool {
        let (parts, isLost) = core.withLock { core in
            core.kept[run]?.isTaken = true
            return (core.kept[run]?.parts, core.lost.contains(run))
        }
        defer { remove(run) }
        if isLost { return false }
        try body(parts ?? RunParts())
        return true
    }

    /// Releases the parts of a run; returns false if the run has begun with them.
    ///
    /// `isLost` says whether the run may still be assigned.
    @discardableResult
    func drop(_ run: String, isLost: Bool = false) -> Bool {
        let isHere = core.withLock { core in
            guard core.kept[run]?.isTaken == false else { return false }
            if isLost { core.lost = core.lost.suffix(Self.lostLimit - 1) + [run] }
            return true
        }
        if isHere { remove(run) }
        return isHere
    }

    /// Waits until a run whose parts are kept has begun or has been dropped.
    func beginning(of run: String) async { _ = await core.withLock { $0.kept[run]?.begun }?.value() }

    func stop() {
        for run in runs { remove(run) }
    }

    private func remove(_ run: String) { core.withLock { $0.kept.removeValue(forKey: run)?.begun }?.resolve(true) }
}
