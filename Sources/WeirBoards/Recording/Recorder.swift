import Logging
import WeirFlows
import WeirJournals
import WeirStates

/// Writes down what happens: gathers states, and appends them to the journal in as few goes as it takes.
///
/// While one append is under way, what happens meanwhile gathers, and goes with the next one. What the journal has taken is
/// confirmed, and leaves the queue; the `Follower` publishes it, in the order of the whole journal. A journal that refuses
/// is tried again, ever more seldom, with the same changes first, until it takes them. What waits meanwhile grows with the
/// transitions only; at twice the limit from which no run is started any more, `onOverflow` asks to end the runs that go
/// on. The end of a run waits until what the run printed is recorded, though not for ever.
final class Recorder: Sendable {
    private struct Core {
        var queue: RecordQueue
        var isDraining = false
        var isTicking = false
        var isStopped = false
        var isOverflowing = false
        var flushing: [Deferred<Bool>] = []
        /// The sequence of the last change that was appended here.
        var confirmed: SequenceNumber

        /// Nothing is written any more for now; who waits for that.
        mutating func endDrain() -> [Deferred<Bool>] {
            isDraining = false
            defer { flushing = [] }
            return flushing
        }
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

    init(
        journal: any Journal, configuration: Board.Configuration, now: @escaping @Sendable () -> Timestamp,
        clock: any Clock<Duration>, logger: Logger, follower: Follower, onOverflow: @escaping @Sendable () -> Void,
        output: @escaping @Sendable (String) -> RunOutput?
    ) {
        self.journal = journal
        self.configuration = configuration
        self.now = now
        self.clock = clock
        self.logger = logger
        self.follower = follower
        self.onOverflow = onOverflow
        self.output = output
        core = Locked(
            Core(
                queue: RecordQueue(everyTickLimit: configuration.recordBufferLimit), confirmed: follower.head))
        reporter = RecordingReporter(notices: journal.notices, now: now, logger: logger)
    }

    /// Whether what happens is being written down.
    var status: ReadOnlyStateFlow<RecordingStatus> { reporter.status }

    /// What an operator should know about the journal.
    var notices: ReadOnlyStateFlow<[JournalNotice]> { reporter.notices }

    /// How many changes wait to be recorded.
    var backlog: Int { core.withLock { $0.queue.count } }

    /// Whether nothing more is taken in or written.
    var isStopped: Bool { core.withLock { $0.isStopped } }

    // MARK: Taking in

    /// Begins a stream with its first change.
    func open(_ stream: StreamID, subject: String, _ state: StateRecord, opening: RunOpening, ticks: TickRecording) {
        let at = now()
        change { $0.open(stream, subject: subject, state, at: at, cause: nil, opening: opening, ticks: ticks) }
    }

    /// Takes a stream's next state in.
    func offer(_ stream: StreamID, _ state: StateRecord, cause: String?) {
        let at = now()
        change { $0.offer(stream, state, at: at, cause: cause) }
    }

    /// Takes up a stream after the last change that is recorded of it.
    func resume(
        _ stream: StreamID, subject: String, _ state: StateRecord, revision: Int64, ticks: TickRecording = .sampled
    ) {
        change { $0.resume(stream, subject: subject, state, revision: revision, ticks: ticks) }
    }

    /// Leaves a stream to another server, of which everything so far is recorded; false when it has ended, or more has come.
    func leave(_ stream: StreamID) -> Bool { core.withLock { $0.queue.leave(stream) } }

    /// Takes a store's next step in.
    func append(_ step: StoreStep, to stream: StreamID, _ state: StateRecord, cause: String?) {
        let at = now()
        change { $0.append(step, to: stream, state, at: at, cause: cause) }
    }

    /// Gives up what waits of a stream that another server has ended; without effect once its end is recorded.
    func abandon(_ stream: StreamID) { core.withLock { $0.queue.abandon(stream) } }

    /// Makes sure that a stream which gets no more states has ended.
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

    /// Waits until all that happened so far is recorded, held ticks included; once stopped, until what was on its way is.
    ///
    /// Returns early when the caller is cancelled.
    func flush() async {
        change { $0.releaseHeld() }
        let empty = Deferred<Bool>()
        let isBusy = core.withLock { core in
            if core.isDraining { core.flushing.append(empty) }
            return core.isDraining
        }
        if isBusy { _ = await empty.value() }
    }

    /// Gives up: nothing more is taken in or written, but what is on its way.
    func stop() {
        core.withLock { $0.isStopped = true }
        scope.cancel()
    }

    // MARK: Looking after the journal

    /// Asks the journal now and then whether all is where it was put.
    func lookAfterJournal(every interval: Duration) {
        scope.launch { [clock] in
            while true {
                try await clock.sleep(for: interval)
                await self.verify()
            }
        }
    }

    /// Asks the journal once; while it cannot be written, the next attempt to append asks.
    private func verify() async {
        do {
            try await lock.withLock {
                do {
                    try await journal.verify()
                    if core.withLock({ !$0.isDraining }) { noteRecording() }
                } catch {
                    note(error)
                }
            }
        } catch { return }  // Stopped.
        noteNotices()
    }

    /// Shows what the journal has to say by now.
    func noteNotices() { reporter.update(journal.notices) }

    // MARK: Writing

    private func drain() async {
        var failures = 0
        while let taken = next() {
            let drafts = await ready(taken)
            do {
                try await lock.withLock {
                    // It may have been stopped while the run's output was written, or somebody else had the turn.
                    if isStopped { throw CancellationError() }
                    let changes = try await append(drafts)
                    // First, so that who is shown the changes is not told that there are none.
                    noteRecording()
                    core.withLock { core in
                        core.queue.confirm(changes.count)
                        core.isOverflowing = false
                        core.confirmed = changes.last?.sequence ?? core.confirmed
                    }
                    await publish(changes)
                }
                failures = 0
                noteNotices()
            } catch {
                core.withLock { $0.queue.giveBack() }
                note(error)
                failures += 1
                do {
                    try await pause(after: failures)
                } catch {
                    return endDrain()  // Stopped: what is left will never be written.
                }
            }
        }
    }

    /// Waits before the next attempt, ever longer.
    func pause(after failures: Int) async throws {
        try await clock.sleep(for: .milliseconds(100 << min(failures - 1, 6)))
    }

    /// The first of the drafts, up to the end of a run of whose output something waits; that goes first.
    private func ready(_ drafts: [ChangeDraft]) async -> [ChangeDraft] {
        if let first = drafts.first, let output = unwritten(first) {
            await output.flush(within: configuration.commandTimeout)
        }
        let end = drafts.dropFirst().firstIndex { unwritten($0) != nil }
        return Array(drafts.prefix(upTo: end ?? drafts.endIndex))
    }

    /// The output of a run that ends with this draft, if something of it waits to be recorded.
    private func unwritten(_ draft: ChangeDraft) -> RunOutput? {
        guard draft.state.phase.isEnded, case .run(let id) = draft.stream, let output = output(id) else { return nil }
        return output.isSettled ? nil : output
    }

    /// What to write next; nil when there is nothing, or nothing more may be written, and then the drain is over.
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

    /// Appends, and takes a refusal for a success where the journal has the first of the changes already: it may have
    /// taken them and failed to say so, and since then more have come, of other streams from others too.
    private func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        do {
            return try await journal.append(drafts)
        } catch let error as JournalError where error.code == .outOfOrder {
            let changes = try await changesAfterConfirmed(of: Set(drafts.map(\.stream)))
            guard !changes.isEmpty, drafts.starts(with: changes.map(\.draft)) else { throw error }
            return changes
        }
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

    /// Notes that the journal cannot be written, and why.
    func note(_ error: any Error) {
        if !isStopped { reporter.failed(error) }
    }

    func noteRecording() { reporter.succeeded(waiting: core.withLock { $0.queue.count }) }
}
