import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// The active runs by id, and the limits on their number.
final class LiveRuns: Sendable {
    private struct Core {
        var runs: [String: LiveRun] = [:]
        var admission: RunAdmission
        var claims: [String: RunAdmission.Claim] = [:]
        var isClosed = false

        mutating func release(_ run: String) {
            if let claim = claims.removeValue(forKey: run) { admission.release(claim) }
        }
    }

    private let core: Locked<Core>

    init(_ limits: RunLimits, operations: Int) {
        core = Locked(Core(admission: RunAdmission(limits, operations: operations)))
    }

    func resize(operations: Int) { core.withLock { $0.admission.resize(operations: operations) } }

    subscript(id: String) -> LiveRun? { core.withLock { $0.runs[id] } }

    var count: Int { core.withLock { $0.runs.count } }

    var countHere: Int { core.withLock { $0.runs.values.count(where: \.isHere) } }

    var all: [LiveRun] { core.withLock { Array($0.runs.values) } }

    var isClosed: Bool { core.withLock { $0.isClosed } }

    /// The active run that an actor started with an idempotency key.
    func run(idempotencyKey key: String, operation: String, actor: String) -> LiveRun? {
        core.withLock { core in
            core.runs.values.first { run in
                let opening = run.request.opening
                return opening.idempotencyKey == key && run.operation == operation && opening.actor == actor
            }
        }
    }

    /// Takes a place for a new run, until its end is recorded or the place is given back.
    ///
    /// Throws `overloaded` or `limitReached`.
    func takePlace(for run: String, _ claim: RunAdmission.Claim) throws(BoardError) {
        let refusal = core.withLock { core in
            let refusal = core.admission.admit(claim)
            if refusal == nil { core.claims[run] = claim }
            return refusal
        }
        if let refusal { throw BoardError(refusal, of: claim) }
    }

    func giveBack(_ run: String) {
        core.withLock { $0.release(run) }
    }

    func add(_ run: LiveRun) { core.withLock { $0.runs[run.id] = run } }

    func close() -> [LiveRun] {
        core.withLock { core in
            core.isClosed = true
            return Array(core.runs.values)
        }
    }

    func recorded(_ change: Change) {
        guard case .run(let id) = change.stream, let run = self[id] else { return }
        if change.draft.opening != nil {
            run.output?.open(isResumed: false)
            run.opened.resolve(change.sequence)
        }
        guard change.state.phase.isEnded else { return }
        core.withLock { core in
            core.runs[id] = nil
            core.release(id)
        }
        run.lastState.resolve(change.state)
        run.ended.resolve(change.sequence)
    }
}

/// A type-erased run that is active, or whose end is not recorded yet.
final class LiveRun: Sendable {
    let request: StartRequest
    let operation: String
    let cancel: @Sendable (CancellationCause) -> Void
    /// The cause of the cancellation, or nil if the run was not cancelled.
    let stopCause: @Sendable () -> CancellationCause?
    /// Waits until the run has ended and its work has returned.
    let outcome: @Sendable () async -> RunOutcome
    /// Stops the queue of the operation, and returns whether the run waits in it.
    let hold: @Sendable () -> Bool
    /// Ends the run in a pause between attempts; returns false if it is not in one.
    let pauseWork: @Sendable (_ willPause: () -> Void) -> Bool
    let output: RunOutput?
    /// The sequence of the first change, set when it is recorded.
    let opened = Deferred<SequenceNumber>()
    /// The sequence of the last change, set when it is recorded.
    let ended = Deferred<SequenceNumber>()
    /// The recorded final state, used for runs that another server executes; nil if this server stops following the
    /// run.
    let lastState = Deferred<StateRecord?>()
    /// The end of a run that is executed here, set when it is queued to be recorded; nil if it will not be recorded as it is.
    let queuedEnd = Deferred<RunEnd?>()
    let isHandedOn = Locked(false)
    let shutdownCause = Locked(CancellationCause.shutdown)
    private let isLeft = Locked(false)
    private let recording = Locked(Recording())

    private struct Recording {
        var subscription: FlowSubscription?
        var isOver = false
        var hasEnded = false
    }

    init<State: OperationState>(
        _ request: StartRequest, operation: String, output: RunOutput?, run: Run<State>,
        hold: @escaping @Sendable () -> Bool
    ) {
        self.request = request
        self.operation = operation
        self.output = output
        self.hold = hold
        cancel = run.cancel
        stopCause = { run.stopCause }
        outcome = run.outcome
        pauseWork = run.pause
    }

    var id: String { request.run }

    /// The process number of the other server that executes the run, or nil if it runs here.
    var worker: Int64? {
        guard case .elsewhere(let worker) = request.place else { return nil }
        return worker
    }

    var isHere: Bool { worker == nil }

    /// Stops recording a run of steps, so that the next process continues it.
    func leave() {
        guard let host = request.host else { return }
        let subscription = recording.withLock { recording in
            recording.isOver = true
            return recording.subscription
        }
        subscription?.cancel()
        host.closing.stop()
    }

    /// Whether the next process continues the run of steps, so that its states here are not recorded.
    var hasLeft: Bool { recording.withLock(\.isOver) }

    /// Whether the run is left to the next process, so that its end here is not recorded.
    var isKept: Bool { isLeft.withLock { $0 } }

    /// Whether the next process can perform the run: only if this server admitted it, and it is neither a run of steps,
    /// which is left at any time, nor watched.
    var mayBeKept: Bool {
        request.host == nil && !request.isWatched && request.place != .assigned && !isHandedOn.withLock { $0 }
    }

    /// Leaves a queued run to the next process.
    func keep() {
        isLeft.withLock { $0 = true }
        cancel(.shutdown)
        ended.resolve(opened.resolved ?? .zero)
    }

    /// Leaves a run in a pause between attempts to the next process; returns false if it is not in one.
    func pause() -> Bool {
        guard pauseWork({ isLeft.withLock { $0 = true } }) else { return false }
        ended.resolve(opened.resolved ?? .zero)
        return true
    }

    /// Stops the run because the server shuts down; a run assigned to another server continues there.
    func shutDown() {
        if isHandedOn.withLock({ $0 }) { return lastState.resolve(nil) }
        leave()
        cancel(shutdownCause.withLock { $0 })
    }

    /// Keeps the subscription that records the run, until it ends or the run is left.
    func keep(_ subscription: FlowSubscription) {
        // The run can end, and the server can shut down, between its beginning and this.
        let isOver = recording.withLock { recording in
            if !recording.hasEnded { recording.subscription = subscription }
            return recording.isOver
        }
        if isOver { subscription.cancel() }
    }

    /// Releases the subscription, whose callbacks retain this object.
    func endRecording() {
        let subscription = recording.withLock { recording in
            recording.hasEnded = true
            defer { recording.subscription = nil }
            return recording.subscription
        }
        subscription?.cancel()
    }
}

/// The end of a run: its final state, with the cause and the time that are recorded.
struct RunEnd: Sendable {
    let state: StateRecord
    let cause: EndCause?
    let at: Timestamp

    init(_ state: StateRecord, cause: EndCause?, at: Timestamp) {
        self.state = state
        self.cause = cause
        self.at = at
    }

    /// The end of a recorded run; nil if it is active, and not left to the next process.
    init?(of record: RunRecord) {
        let cause = record.cause.map { EndCause($0) }
        guard let at = record.endedAt ?? (cause == .kept ? record.changedAt : nil) else { return nil }
        self.init(record.state, cause: cause, at: at)
    }

    /// Whether a restart of the server ended the run.
    var isInterrupted: Bool { state.phase == .interrupted || cause?.isShutdown == true || cause == .kept }
}

/// Decides whether one more run may begin, and counts the active runs.
///
/// A pure state machine. Three limits apply: to all runs, to those of one operation and to those of one actor. The last
/// places of the first limit are reserved for operations with few runs, so that other operations, together or alone,
/// cannot take the places of one below its share. The share is a tenth of all places divided by the number of
/// operations, at least one.
struct RunAdmission: Sendable {
    struct Claim: Hashable, Sendable {
        let operation: String
        let actor: String

        /// The actor whose limit applies: each schedule is one of its own, so that none takes the places of the others.
        var share: String { actor == ScheduledStart.actor ? "\(actor) \(operation)" : actor }
    }

    /// The reason for a refusal, with the number of active runs.
    enum Refusal: Equatable, Sendable {
        case full(Int)
        /// The remaining places are reserved for operations with fewer runs.
        case kept(Int)
        case operation(Int)
        case actor(Int)
    }

    private let limits: RunLimits
    private var share = 1
    private var reserve = 0
    private(set) var count = 0
    private var ofOperation: [String: Int] = [:]
    private var ofActor: [String: Int] = [:]

    init(_ limits: RunLimits, operations: Int) {
        self.limits = limits
        resize(operations: operations)
    }

    mutating func resize(operations: Int) {
        let others = max(operations - 1, 0)
        share = max(limits.total / 10 / max(operations, 1), 1)
        reserve = others < limits.total ? min(share * others, limits.total / 2) : limits.total / 2
    }

    /// Counts a new run, or returns the refusal.
    mutating func admit(_ claim: Claim) -> Refusal? {
        let (mine, byActor) = (ofOperation[claim.operation] ?? 0, ofActor[claim.share] ?? 0)
        if mine >= limits.perOperation { return .operation(mine) }
        if byActor >= limits.perActor { return .actor(byActor) }
        if count >= limits.total { return .full(count) }
        if count >= limits.total - reserve, mine >= share { return .kept(count) }
        count += 1
        ofOperation[claim.operation] = mine + 1
        ofActor[claim.share] = byActor + 1
        return nil
    }

    mutating func release(_ claim: Claim) {
        guard let mine = ofOperation[claim.operation], let byActor = ofActor[claim.share] else { return }
        count -= 1
        ofOperation[claim.operation] = mine > 1 ? mine - 1 : nil
        ofActor[claim.share] = byActor > 1 ? byActor - 1 : nil
    }
}

/// The maximum numbers of active runs, without watched ones; values below 1 become 1.
struct RunLimits: Sendable, Equatable {
    let total: Int
    let perOperation: Int
    let perActor: Int

    init(total: Int, perOperation: Int, perActor: Int) {
        self.total = max(total, 1)
        self.perOperation = max(perOperation, 1)
        self.perActor = max(perActor, 1)
    }
}
