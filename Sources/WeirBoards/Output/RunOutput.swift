import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Records the output of one run: collects lines, and appends them to the journal in batches.
///
/// Recording begins when the run's opening is recorded. Lines that are printed during an append wait for the next one,
/// up to a limit at which `write` suspends. A failed append is retried with the same lines and their place at increasing
/// intervals, so that the journal recognizes lines that it has accepted; if it no longer has the run, the output ends.
/// `onEvent` receives only lines that the journal has accepted, in order.
final class RunOutput: PieceSink {
    enum Event: Sendable {
        case opened
        case recorded([OutputLine], UnfinishedLines?)
        case unfinished(UnfinishedLines)
        /// The run has ended, and its whole output is recorded.
        case over
    }

    struct Environment: Sendable {
        let journal: any Journal
        let lineLimit: Int
        let byteLimit: Int
        /// The maximum size of an output whose operation has none of its own.
        let maximum: ByteCount
        let disk: (any DiskWatch)?
        let batchLimit: Int
        let now: @Sendable () -> Timestamp
        let clock: any Clock<Duration>
        let logger: Logger
        let scope: FlowScope
    }

    /// The time after which text without a line end is shown, and between two changes of it.
    private static let unfinishedInterval = Duration.milliseconds(200)

    private struct Core {
        var queue: OutputQueue
        var masked = MaskedLines(.none)
        /// The number of the last recorded line, or nil if an earlier process may have recorded lines.
        var recorded: SequenceNumber?
        /// The error of the last append, or nil if it succeeded.
        var failure: (any Error)?
        var unfinished = UnfinishedOutput()
        var isOpen = false
        var isDraining = false
        var isOver = false
        var isOverTold = false
        var writers: [Deferred<Bool>] = []
        var flushing: [Deferred<Bool>] = []

        /// Appends a line, and returns its number; nil if it is not kept, is held back, or follows lines of an earlier process
        /// that are not counted yet.
        @discardableResult
        mutating func append(
            _ line: String, to channel: OutputChannel, at now: Timestamp, continues: Bool = false, hasSpace: Bool
        ) -> Int64? {
            unfinished.set("", on: channel)
            let lines = masked.take(line, from: channel)
            var isKept = false
            for (index, line) in lines.enumerated() {
                isKept = queue.append(
                    line, to: channel, at: now, continues: continues && index == lines.count - 1, hasSpace: hasSpace)
            }
            // The output of a resumed run is open before its program prints.
            guard isKept, lines.last == line, let recorded = isOpen ? recorded : .zero else { return nil }
            return recorded.advanced(by: queue.count).rawValue
        }

        mutating func takeWriters() -> [Deferred<Bool>] {
            defer { writers = [] }
            return writers
        }

        var isSettled: Bool { queue.isEmpty && isOver == isOverTold }

        mutating func takeFlushing() -> [Deferred<Bool>] {
            guard isSettled else { return [] }
            defer { flushing = [] }
            return flushing
        }

        /// Marks the output as over if it is complete; returns true once.
        mutating func endsNow() -> Bool {
            guard queue.isClosed, queue.isEmpty, isOpen, !isOver else { return false }
            isOver = true
            return true
        }
    }

    private let run: String
    private let environment: Environment
    private let onEvent: @Sendable (Event) -> Void
    private let core: Locked<Core>

    init(
        run: String, maximum: ByteCount?, environment: Environment, onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.run = run
        self.environment = environment
        self.onEvent = onEvent
        core = Locked(
            Core(
                queue: OutputQueue(
                    lineLimit: environment.lineLimit, byteLimit: environment.byteLimit,
                    maximum: maximum ?? environment.maximum)))
    }

    /// Whether no line is pending and the end, if reached, is reported.
    var isSettled: Bool { core.withLock { $0.isSettled } }

    // MARK: Printing

    /// Masks secrets in all lines that are printed from now on.
    func mask(_ mask: SecretMask) { core.withLock { $0.masked = MaskedLines(mask) } }

    func write(_ line: String, to channel: OutputChannel) async { await write(line, to: channel, continues: false) }

    @discardableResult
    func write(_ line: String, to channel: OutputChannel, continues: Bool) async -> Int64? {
        while true {
            let (now, hasSpace) = (environment.now(), hasSpace)
            let room = Deferred<Bool>()
            let (isTaken, number) = change { core -> (Bool, Int64?) in
                guard !core.queue.isClosed, !core.queue.hasRoom else {
                    let number = core.append(line, to: channel, at: now, continues: continues, hasSpace: hasSpace)
                    return (true, number)
                }
                core.writers.append(room)
                return (false, nil)
            }
            if isTaken { return number }
            guard await room.value() != nil else { return nil }
        }
    }

    func offer(_ line: String, to channel: OutputChannel) -> Bool {
        let (now, hasSpace) = (environment.now(), hasSpace)
        return change { core in
            guard core.queue.hasRoom else {
                core.queue.omit(.speed, at: now)
                return false
            }
            core.append(line, to: channel, at: now, hasSpace: hasSpace)
            return !core.queue.isClosed
        }
    }

    func show(unfinished text: String, on channel: OutputChannel) {
        change { core in
            guard !core.queue.isClosed else { return }
            core.unfinished.set(core.masked.unfinished(text, on: channel), on: channel)
        }
    }

    private func publishUnfinished() async {
        while true {
            do { try await environment.clock.sleep(for: Self.unfinishedInterval) } catch { return }
            let (isOver, lines) = core.withLock { core -> (Bool, UnfinishedLines?) in
                if core.queue.isClosed { return (true, nil) }
                guard core.isOpen else { return (false, nil) }
                let lines = core.unfinished.publish(scheduled: true)
                return (lines == nil, lines)
            }
            if isOver { return }
            if let lines { onEvent(.unfinished(lines)) }
        }
    }

    private var hasSpace: Bool { environment.disk?.isAlmostFull != true }

    // MARK: Beginning and ending

    /// The error of the last append, or nil if it succeeded.
    var failure: (any Error)? { core.withLock { $0.failure } }

    /// Starts recording, after the run's opening is recorded.
    func open(isResumed: Bool) {
        onEvent(.opened)
        change { core in
            // A run that began before its opening was published is opened again.
            guard !core.isOpen else { return }
            core.recorded = isResumed ? nil : .zero
            core.isOpen = true
        }
    }

    /// Stops accepting lines, because the run has ended.
    func close() {
        let now = environment.now()
        let writers = change { core in
            for (channel, line) in core.masked.finish() { core.queue.append(line, to: channel, at: now) }
            core.queue.close(at: now)
            return core.takeWriters()
        }
        for writer in writers { writer.resolve(true) }
    }

    /// Waits until everything printed so far is recorded, until an append fails, or until the time limit.
    func flush(within limit: Duration) async {
        let settled = Deferred<Bool>()
        let isSettled = core.withLock { core in
            if !core.isSettled { core.flushing.append(settled) }
            return core.isSettled
        }
        if !isSettled { _ = await settled.value(within: limit, clock: environment.clock) }
    }

    private func tellOver() {
        onEvent(.over)
        let waiting = core.withLock { core in
            core.isOverTold = true
            return core.takeFlushing()
        }
        for wait in waiting { wait.resolve(true) }
    }

    @discardableResult
    private func change<Result>(_ body: (inout Core) -> Result) -> Result {
        let (result, drains, publishes, isOver) = core.withLock { core in
            let result = body(&core)
            let drains = core.isOpen && !core.isDraining && !core.queue.isEmpty
            if drains { core.isDraining = true }
            let publishes = !core.queue.isClosed && core.unfinished.schedule()
            return (result, drains, publishes, core.endsNow())
        }
        if publishes { environment.scope.launch { await self.publishUnfinished() } }
        if drains { environment.scope.launch { await self.drain() } }
        if isOver { tellOver() }
        return result
    }

    // MARK: Writing

    private func drain() async {
        var failures = 0
        var drafts: [OutputDraft] = []
        while true {
            // Cancelled: the remaining lines are not recorded.
            if Task.isCancelled { return }
            let next = core.withLock { core in
                let next = core.queue.next(environment.batchLimit)
                core.isDraining = !next.isEmpty
                return next
            }
            if next.isEmpty { return }
            // A repeated append has the same lines, though others have been printed since.
            if failures == 0 { drafts = next }
            do {
                let last = try await append(drafts)
                if failures > 0 {
                    environment.logger.notice("Output is recorded again.", metadata: ["run": "\(run)"])
                }
                failures = 0
                confirm(drafts, last: last)
            } catch let error as JournalError where error.code == .outOfOrder {
                return abandon(error)
            } catch {
                failures += 1
                fail(error)
                if failures == 1 {
                    environment.logger.error(
                        "Output is not recorded.",
                        metadata: ["run": "\(run)", "cause": "\(Quoted(RecordingReporter.cause(of: error)))"])
                }
                do {
                    try await environment.clock.sleep(for: .milliseconds(100 << min(failures - 1, 6)))
                } catch {
                    return  // Cancelled: the remaining lines are not recorded.
                }
            }
        }
    }

    /// Appends lines after the recorded ones, unless an earlier failed attempt has in fact appended them.
    private func append(_ drafts: [OutputDraft]) async throws -> SequenceNumber {
        var recorded = core.withLock { $0.recorded }
        if recorded == nil {
            recorded = try await environment.journal.outputCount(of: run)
            core.withLock { [recorded] in $0.recorded = recorded }
        }
        return try await environment.journal.appendOutput(run: run, lines: drafts, after: recorded)
    }

    private func fail(_ error: any Error) {
        let waiting = core.withLock { core in
            core.failure = error
            defer { core.flushing = [] }
            return core.flushing
        }
        for wait in waiting { wait.resolve(false) }
    }

    private func confirm(_ drafts: [OutputDraft], last: SequenceNumber) {
        let first = last.advanced(by: -drafts.count)
        let unfinished = core.withLock { $0.unfinished.publish() }
        onEvent(
            .recorded(
                drafts.enumerated().map { OutputLine(number: first.advanced(by: $0.offset).next, draft: $0.element) },
                unfinished))
        let (waiting, isOver) = core.withLock { core in
            core.recorded = last
            core.failure = nil
            core.queue.confirm(drafts.count)
            let isOver = core.endsNow()
            return (core.takeWriters() + core.takeFlushing(), isOver)
        }
        for wait in waiting { wait.resolve(true) }
        if isOver { tellOver() }
    }

    private func abandon(_ error: JournalError) {
        environment.logger.error("Output is lost.", metadata: ["run": "\(run)", "cause": "\(Quoted(error))"])
        giveUp()
    }

    func giveUp() {
        let waiting = core.withLock { core in
            core.queue.abandon()
            return core.takeWriters() + core.takeFlushing()
        }
        for wait in waiting { wait.resolve(true) }
    }
}

/// Creates the output of each printing run, and publishes its recorded lines in the feed.
struct RunOutputs: Sendable {
    let environment: RunOutput.Environment
    let feed: Feed

    /// Creates the output of a run; `maximum` is that of its operation.
    func output(of run: String, maximum: ByteCount?) -> RunOutput {
        RunOutput(run: run, maximum: maximum, environment: environment) { [feed] event in
            switch event {
            case .opened: feed.openOutput(of: run)
            case .recorded(let lines, let unfinished): feed.publish(lines, unfinished, of: run)
            case .unfinished(let lines): feed.show(lines, of: run)
            case .over: feed.closeOutput(of: run)
            }
        }
    }

    func stop() { environment.scope.cancel() }
}
