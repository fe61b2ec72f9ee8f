import CoreMetrics
import Logging
import WeirFlows
import WeirJournals
import WeirStates
import WeirTelemetry

/// Records states: queues changes, and appends them to the journal in batches.
///
/// Changes during an append wait for the next one. Changes that the journal has accepted are confirmed and leave the
/// queue; the `Follower` publishes them in the order of the whole journal. A failed append is retried at increasing
/// intervals with the same changes first. The queue then grows with transitions only; at twice the limit at which
/// starts are refused, `onOverflow` is called to end all active runs. The end of a run is recorded only after its whole
/// output: while that cannot be recorded, the end is held, and the changes of other runs are recorded.
final class Recorder: Sendable {
    private struct Core {
        var queue: RecordQueue
        var isDraining = false
        var isTicking = false
        var isStopped = false
        var isOverflowing = false
        var isFenced = false
        var flushing: [Flush] = []
        var confirmed: SequenceNumber

        func isIdle(withEnds: Bool) -> Bool { !isDraining && (isStopped || !withEnds || !queue.holdsEnds) }

        /// Marks the drain as ended, and returns the flushes that wait for nothing else.
        mutating func endDrain() -> [Deferred<Bool>] {
            isDraining = false
            return takeFlushing()
        }

        mutating func takeFlushing() -> [Deferred<Bool>] {
            let waiting = flushing
            flushing = waiting.filter { !isOver($0) }
            return waiting.filter { isOver($0) }.map(\.done)
        }

        private func isOver(_ flush: Flush) -> Bool {
            isIdle(withEnds: flush.withEnds) || !flush.withEnds && queue.isSettled(before: flush.end)
        }
    }

    /// A caller that waits for the changes before `end`.
    private struct Flush {
        let done: Deferred<Bool>
        let withEnds: Bool
        let end: Int
    }

    let journal: any Journal
    let configuration: Board.Configuration
    private let now: @Sendable () -> Timestamp
    private let clock: any Clock<Duration>
    private let logger: Logger
    let follower: Follower
    private let onOverflow: @Sendable () -> Void
    private let output: @Sendable (String) -> RunOutput?
    private let core: Locked<Core>
    let lock = AsyncLock()
    private let scope = FlowScope(executor: nil)
    private let reporter: RecordingReporter
    let monitor: RunMonitor
    private let commit: CoreMetrics.Timer

    init(
        journal: any Journal, configuration: Board.Configuration, now: @escaping @Sendable () -> Timestamp,
        clock: any Clock<Duration>, logger: Logger, follower: Follower, monitor: RunMonitor,
        onOverflow: @escaping @Sendable () -> Void,
        output: @escaping @Sendable (String) -> RunOutput?
    ) {
        self.journal = journal
        self.configuration = configuration
        self.now = now
        self.clock = clock
        self.logger = logger
        self.follower = follower
        self.monitor = monitor
        commit = CoreMetrics.Timer(.commit, in: configuration.telemetry.metrics)
        self.onOverflow = onOverflow
        self.output = output
        core = Locked(
            Core(
                queue: RecordQueue(everyTickLimit: configuration.recordBufferLimit), confirmed: follower.head))
        reporter = RecordingReporter(notices: journal.notices, now: now, logger: logger)
    }

    var status: ReadOnlyStateFlow<RecordingStatus> { reporter.status }

    var notices: ReadOnlyStateFlow<[JournalNotice]> { reporter.notices }

    var backlog: Int { core.withLock { $0.queue.count } }

    var isStopped: Bool { core.withLock { $0.isStopped } }

    /// Whether another server records in the place of this one.
    var isFenced: Bool { core.withLock { $0.isFenced } }

    // MARK: Queueing

    func open(_ stream: StreamID, subject: String, _ state: StateRecord, opening: RunOpening, ticks: TickRecording) {
        let at = now()
        change { $0.open(stream, subject: subject, state, at: at, cause: nil, opening: opening, ticks: ticks) }
    }

    /// Queues a stream's next state; returns the time that is recorded with it.
    @discardableResult
    func offer(_ stream: StreamID, _ state: StateRecord, cause: String?) -> Timestamp {
        let at = now()
        change { $0.offer(stream, state, at: at, cause: cause) }
        return at
    }

    /// Records that a run waits for the next start of the server.
    func keep(_ stream: StreamID) {
        let at = now()
        change { $0.note(.kept, of: stream, at: at) }
    }

    func resume(
        _ stream: StreamID, subject: String, _ state: StateRecord, revision: Int64, ticks: TickRecording = .sampled
    ) {
        change { $0.resume(stream, subject: subject, state, revision: revision, ticks: ticks) }
    }

    /// Releases a stream to another server once all its states are recorded.
    ///
    /// Waits, because the follower can publish a change before its append is confirmed here.
    ///
    /// - Returns: False if the stream has ended, the recorder is stopped, or the calling task is cancelled.
    func leave(_ stream: StreamID) async -> Bool {
        while !core.withLock({ $0.queue.leave(stream) }) {
            let isOver = core.withLock { $0.isStopped || $0.queue.last(of: stream)?.phase.isEnded != false }
            if isOver || Task.isCancelled { return false }
            await flush()
        }
        return true
    }

    func append(_ step: StoreStep, to stream: StreamID, _ state: StateRecord, cause: String?) {
        let at = now()
        change { $0.append(step, to: stream, state, at: at, cause: cause) }
    }

    /// Abandons a stream that another server has ended; has no effect once its end is recorded.
    func abandon(_ stream: StreamID) { core.withLock { $0.queue.abandon(stream) } }

    /// Ends a stream that receives no more states as failed, unless it has ended.
    func close(_ stream: StreamID) {
        let at = now()
        change { queue in
            guard let last = queue.last(of: stream), !last.phase.isEnded else { return }
            let end = StateRecord(
                caseName: last.caseName, payload: last.payload, phase: .failed, progress: last.progress)
            queue.offer(stream, end, at: at, cause: EndCause.notAnEnd.description)
        }
    }

    private func change(_ body: (inout RecordQueue) -> Void) {
        let (drains, ticks, overflows) = core.withLock { core -> (Bool, Bool, Bool) in
            if core.isStopped { return (false, false, false) }
            body(&core.queue)
            let overflows = !core.isOverflowing && core.queue.count > 2 * configuration.recordBufferLimit
            core.isOverflowing = core.isOverflowing || overflows
            let drains = !core.isDraining && core.queue.count > 0
            let ticks = !core.isTicking && core.queue.isSampling
            if drains { core.isDraining = true }
            if ticks { core.isTicking = true }
            return (drains, ticks, overflows)
        }
        if drains { scope.launch { await self.drain() } }
        if ticks { scope.launch { try await self.tick() } }
        if overflows {
            logger.critical("Far too many changes are waiting to be recorded: all runs are cancelled.")
            onOverflow()
        }
    }

    private func tick() async throws {
        repeat {
            try await clock.sleep(for: configuration.tickInterval)
            change { _ = $0.openWindow() }
        } while core.withLock { core in
            core.isTicking = core.queue.isSampling
            return core.isTicking
        }
    }

    // MARK: Ending

    /// Waits until all changes so far are recorded, including held ticks; once stopped, until the append in progress
    /// ends.
    ///
    /// With `withEnds`, also waits for the ends of runs whose output is not recorded yet. Returns early if the calling task
    /// is cancelled.
    func flush(withEnds: Bool = false) async {
        change { $0.releaseHeld() }
        let empty = Deferred<Bool>()
        let isBusy = core.withLock { core in
            let isBusy = !core.isIdle(withEnds: withEnds)
            if isBusy { core.flushing.append(Flush(done: empty, withEnds: withEnds, end: core.queue.end)) }
            return isBusy
        }
        if isBusy { _ = await empty.value() }
    }

    /// Accepts no more changes, and appends none except those in progress.
    func stop() {
        let flushing = core.withLock { core in
            core.isStopped = true
            return core.takeFlushing()
        }
        for waiting in flushing { waiting.resolve(true) }
        scope.cancel()
    }

    // MARK: Checking the journal

    func lookAfterJournal(every interval: Duration, as role: MutableStateFlow<BoardRole>) {
        scope.launch { [clock] in
            while true {
                try await clock.sleep(for: interval)
                await self.verify(as: role.value)
            }
        }
    }

    /// Verifies the journal once; while it cannot be written, the next append verifies it, or the next heartbeat of a follower.
    func verify(as role: BoardRole) async {
        do {
            try await lock.withLock {
                do {
                    try await journal.verify()
                    // A follower only reads here, which a journal can allow that cannot be written.
                    if role != .following, core.withLock({ !$0.isDraining }) { noteRecording() }
                } catch {
                    note(error)
                }
            }
        } catch { return }  // Stopped.
        noteNotices()
    }

    func noteNotices() { reporter.update(journal.notices) }

    // MARK: Writing

    private func drain() async {
        var failures = 0
        while let taken = next() {
            let drafts = await ready(taken)
            if drafts.isEmpty { continue }
            do {
                try await lock.withLock {
                    // The recorder may have been stopped while this task waited for output or for the lock.
                    if isStopped { throw CancellationError() }
                    let changes = try await append(drafts)
                    // Before `publish`, so that no client sees the changes together with the status “not recorded”.
                    noteRecording()
                    core.withLock { core in
                        core.queue.confirm(changes.count)
                        core.isOverflowing = false
                        core.confirmed = changes.last?.sequence ?? core.confirmed
                    }
                    await publish(changes)
                }
                for waiting in core.withLock({ $0.takeFlushing() }) { waiting.resolve(true) }
                failures = 0
                noteNotices()
            } catch {
                core.withLock { $0.queue.giveBack() }
                note(error)
                failures += 1
                do {
                    try await pause(after: failures)
                } catch {
                    return endDrain()  // Stopped: the remaining changes are not recorded.
                }
            }
        }
    }

    /// Waits before the next attempt, with exponential backoff.
    func pause(after failures: Int) async throws {
        try await clock.sleep(for: .milliseconds(100 << min(failures - 1, 6)))
    }

    /// The drafts before the next end of a run whose output is not recorded.
    ///
    /// If that end is the first draft, flushes the output. If the output fails or takes long, holds the end.
    private func ready(_ drafts: [ChangeDraft]) async -> [ChangeDraft] {
        if let first = drafts.first, let output = unwritten(first) {
            if output.failure == nil { await output.flush(within: configuration.commandTimeout) }
            guard unwritten(first) == nil || isStopped else {
                hold(first.stream, until: output)
                return []
            }
        }
        let end = drafts.dropFirst().firstIndex { unwritten($0) != nil }
        return Array(drafts.prefix(upTo: end ?? drafts.endIndex))
    }

    private func hold(_ stream: StreamID, until output: RunOutput) {
        if let failure = output.failure { note(failure) }
        core.withLock { core in
            core.queue.giveBack()
            core.queue.holdFirstEnd()
        }
        scope.launch { [self] in
            while !output.isSettled {
                await output.flush(within: configuration.commandTimeout)
                if Task.isCancelled { return }
            }
            change { $0.releaseEnd(of: stream) }
            // An abandoned end starts no drain.
            for waiting in core.withLock({ $0.takeFlushing() }) { waiting.resolve(true) }
        }
    }

    /// The output of a run that ends with this draft, or nil if it is recorded.
    private func unwritten(_ draft: ChangeDraft) -> RunOutput? {
        guard draft.state.phase.isEnded, case .run(let id) = draft.stream, let output = output(id) else { return nil }
        return output.isSettled ? nil : output
    }

    /// The next changes to append, or nil if there are none or the recorder is stopped; the drain has then ended.
    private func next() -> [ChangeDraft]? {
        let (drafts, flushing) = core.withLock { core -> ([ChangeDraft], [Deferred<Bool>]) in
            let drafts = core.isStopped ? [] : core.queue.take(configuration.batchLimit)
            return (drafts, drafts.isEmpty ? core.endDrain() : [])
        }
        for waiting in flushing { waiting.resolve(true) }
        return drafts.isEmpty ? nil : drafts
    }

    private func endDrain() {
        for waiting in core.withLock({ $0.endDrain() }) { waiting.resolve(true) }
    }

    /// Appends changes; treats `outOfOrder` as success if the journal already contains the first of them.
    ///
    /// An earlier append may have succeeded despite an error, and other servers may have added changes of other streams
    /// since.
    private func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        do {
            return try await timed { try await journal.append(drafts) }
        } catch let error as JournalError where error.code == .outOfOrder {
            let changes = try await changesAfterConfirmed(of: Set(drafts.map(\.stream)))
            guard !changes.isEmpty, drafts.starts(with: changes.map(\.draft)) else { throw error }
            return changes
        }
    }

    /// Measures a transaction that succeeds.
    func timed<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        let elapsed = clock.stopwatch()
        let value = try await body()
        commit.record(elapsed())
        return value
    }

    private func changesAfterConfirmed(of streams: Set<StreamID>) async throws -> [Change] {
        var place = core.withLock { $0.confirmed }
        var found: [Change] = []
        while true {
            let changes = try await journal.changes(
                of: .board, after: place, through: nil, limit: configuration.batchLimit)
            guard let last = changes.last?.sequence else { return found }
            found += changes.filter { streams.contains($0.stream) }
            place = last
        }
    }

    func note(_ error: any Error) {
        if (error as? JournalError)?.code == .full { configuration.disk?.freeReserve() }
        if (error as? JournalError)?.isFenced == true { core.withLock { $0.isFenced = true } }
        if !isStopped { reporter.failed(error) }
    }

    /// Notes that the journal accepts changes, unless the end of a run waits for output that it does not accept.
    func noteRecording() {
        let (count, holdsEnds) = core.withLock { ($0.queue.count, $0.queue.holdsEnds) }
        if !holdsEnds { reporter.succeeded(waiting: count) }
    }
}
