import Foundation
package import Logging
package import WeirFlows
public import WeirJournals
import WeirOperations
import WeirStates

/// What can be run, what runs, and what has happened: the one door for commands, and the place where views come from.
///
/// Commands return once the change they produced is recorded, so that their receipt names its sequence. Views come from
/// memory where they can; an open page costs the journal no query.
public final class Board: Sendable {
    /// What can be run at this moment.
    package var catalog: Catalog { launcher.catalog }
    /// The journal's tail in memory.
    package let feed: Feed
    let journal: any Journal
    let configuration: Configuration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let runs: LiveRuns
    let liveStores = LiveStores()
    let recorder: Recorder
    let outputs: RunOutputs
    let launcher: Launcher
    let watching: Watching
    let idempotency = IdempotencyRegistry()
    let importing = ImportLock()
    let retention: Retention
    let reported: ReportedRuns
    let scheduler: Scheduler
    let replacing = AsyncLock()
    /// What this server does on its journal.
    let role: MutableStateFlow<BoardRole>
    /// Its part among the servers of a shared journal; nil where there can be no others.
    let membership: Membership?
    /// Hands commands to the server that records; nil where there can be no others.
    let sender: CommandSender?
    /// Carries out the commands of others, from when it takes part.
    let receiver = Deferred<CommandReceiver>()
    /// How long a shutdown waits for runs.
    let drainTimeout: Locked<Duration>
    let foreignOutput: ForeignOutput?
    /// Tells other servers which runs they carry out; nil where there can be no others.
    let assigner: RunAssigner?
    /// Carries out the runs that another server has opened; nil where there can be no others.
    let worker: RunWorker?
    private let scope = FlowScope(executor: nil)
    private let retentionPolicy: MutableStateFlow<RetentionPolicy?>
    let logger: Logger

    private init(
        _ loader: BoardLoader, feed: Feed, estimates: Estimates,
        now: @escaping @Sendable () -> Timestamp, makeID: @escaping @Sendable () -> String, clock: any Clock<Duration>,
        logger: Logger
    ) {
        let catalog = loader.catalog
        journal = loader.journal
        configuration = loader.configuration
        drainTimeout = Locked(configuration.drainTimeout)
        retentionPolicy = MutableStateFlow(configuration.retention)
        self.feed = feed
        self.clock = clock
        self.now = now
        self.logger = logger
        let runs = LiveRuns(
            RunLimits(
                total: configuration.maximumActiveRuns, perOperation: configuration.maximumActiveRunsPerOperation,
                perActor: configuration.maximumActiveRunsPerActor),
            operations: catalog.entries.count)
        self.runs = runs
        let shared = loader.journal as? any SharedJournal
        let role = MutableStateFlow<BoardRole>(shared?.isRecording == false ? .following : .recording)
        self.role = role
        membership = shared.flatMap { $0.node.isEmpty ? nil : Membership($0, role: role, clock: clock, logger: logger) }
        sender = membership == nil ? nil : shared.map { CommandSender($0, clock: clock) }
        foreignOutput = shared.map { shared in
            ForeignOutput(shared, feed: feed, catalog: catalog) { run in
                role.value == .following ? runs[run] == nil : runs[run]?.isHere == false
            }
        }
        let follower = Follower(
            journal: journal, head: feed.head(of: .board), batchLimit: configuration.batchLimit
        ) { [feed, runs, liveStores, foreignOutput] changes in
            feed.publish(changes)
            foreignOutput?.published(changes)
            for change in changes {
                // Learned before whoever waits for the end hears of it: the next run may know.
                if change.state.phase == .succeeded, let run = feed.publication(at: change.sequence)?.run {
                    estimates.learn(from: run)
                }
                runs.recorded(change)
                liveStores.recorded(change)
            }
        } prepare: { [foreignOutput] changes in
            try await foreignOutput?.prepare(changes)
        }
        recorder = Recorder(
            journal: journal, configuration: configuration, now: now, clock: clock, logger: logger, follower: follower
        ) { [runs] in
            for run in runs.all where run.isHere { run.cancel(.unrecorded) }
        } output: { [runs] run in
            runs[run]?.output
        }
        retention = Retention(
            journal: journal, recorder: recorder, feed: feed, now: now, clock: clock, logger: logger)
        outputs = RunOutputs(
            environment: RunOutput.Environment(
                journal: journal, lineLimit: configuration.outputBufferLimit,
                byteLimit: configuration.outputBufferBytes, batchLimit: configuration.batchLimit, now: now,
                clock: clock, logger: logger, scope: FlowScope(executor: nil)),
            feed: feed)
        reported = ReportedRuns(
            recorder: ReportRecorder(
                recorder: recorder, feed: feed, journal: journal, configuration: configuration, now: now),
            configuration: configuration, operations: catalog.entries.count, clock: clock)
        let (recorder, others) = (recorder, membership == nil ? nil : shared)
        assigner = others.map { RunAssigner($0, recorder: recorder, now: now, clock: clock, logger: logger) }
        let launcher = Launcher(
            catalog: catalog, configuration: configuration,
            RunSurroundings(recorder: recorder, outputs: outputs, assigner: assigner, logger: logger), runs: runs,
            estimates: estimates, clock: clock, makeID: makeID)
        self.launcher = launcher
        worker = others.map { RunWorker($0, launcher: launcher, recorder: recorder, now: now, logger: logger) }
        scheduler = Scheduler(journal: journal, now: now, clock: clock, logger: logger)
        watching = Watching(
            catalog: catalog, configuration: configuration, launcher: launcher,
            isHeld: role.value == .following, clock: clock, logger: logger)
        watching.follow(feed)
    }

    /// Opens a board on a journal: takes up what the last process left, and loads the tail.
    ///
    /// Runs that were going are interrupted, but for those of steps, which continue, and those that programs elsewhere
    /// report: these go on if their reporters come back in time. Each store is in the state that was recorded last. On a
    /// shared journal that another server records, the board shows everything and does none of that before it takes that
    /// server's place.
    ///
    /// - Parameters:
    ///   - catalog: What can be run, and which stores there are.
    ///   - journal: Where it is written down; it stays open when the board shuts down.
    ///   - configuration: The measures of the board.
    ///   - now: Tells the time that changes are recorded with.
    ///   - makeID: Makes the ids of runs, of `a-z` and `0-9`, at most 60 characters; by default 26 that sort by time.
    ///   - clock: Measures every wait.
    ///   - logger: Is told what no page can show.
    /// - Returns: The board, ready for commands.
    /// - Throws: `JournalError` when the journal cannot be read, or not be written where runs must be ended.
    package static func open(
        catalog: Catalog, journal: any Journal, configuration: Configuration = Configuration(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        makeID: (@Sendable () -> String)? = nil, clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger = Logger(label: "weir.board")
    ) async throws -> Board {
        let makeID =
            makeID ?? {
                var generator = SystemRandomNumberGenerator()
                return RunID.make(at: now(), using: &generator)
            }
        let loader = BoardLoader(journal: journal, catalog: catalog, configuration: configuration)
        do {
            let board = Board(
                loader, feed: try await loader.feed(), estimates: try await loader.estimates(), now: now,
                makeID: makeID, clock: clock, logger: logger)
            if board.role.value == .recording { try await board.begin() } else { try await board.follow() }
            board.takePart()
            if let interval = configuration.journalCheckInterval { board.recorder.lookAfterJournal(every: interval) }
            return board
        } catch let error as JournalError where error.code == .corrupt {
            journal.markUnusable()
            throw error
        }
    }

    /// Names the history that all sequences belong to.
    package var epoch: String { journal.epoch }

    /// Whether what happens is being written down.
    package var recording: RecordingStatus { recorder.status.value }

    /// Whether what happens is being written down, as it changes.
    package var recordingStatus: ReadOnlyStateFlow<RecordingStatus> { recorder.status }

    /// The removal of old runs that is to come, if one is announced.
    package var announcedRemoval: ReadOnlyStateFlow<AnnouncedRemoval?> { retention.announced.asStateFlow() }

    /// The last event of an announced removal; nil before the first.
    package var removals: ReadOnlyStateFlow<RemovalEvent?> { retention.events.asStateFlow() }

    /// Why the settings that were read last are not in force; nil while they are.
    package let refusedSettings = MutableStateFlow<RefusedSettings?>(nil)

    /// What an operator should know about the journal and has not dismissed, oldest first.
    package var notices: [JournalNotice] { recorder.notices.value }

    /// What an operator should know about the journal and has not dismissed, as it changes.
    package var currentNotices: ReadOnlyStateFlow<[JournalNotice]> { recorder.notices }

    /// Takes a notice out of the list; false when there is none of that id, or there is none any more.
    ///
    /// Throws `BoardError` with `unavailable` when that cannot be written down.
    @discardableResult
    package func dismissNotice(_ id: String) async throws(BoardError) -> Bool {
        if follows {
            let isDismissed = try await handOver(.dismissNotice(id: id)).isDone
            // Where it cannot be read again now, it is within a second.
            do {
                try await rereadNotices()
            } catch {
                logger.debug("The notices cannot be read.", metadata: ["cause": "\(Quoted(error))"])
            }
            return isDismissed
        }
        try requireRecording()
        defer { recorder.noteNotices() }
        do {
            return try await journal.dismissNotice(id)
        } catch {
            throw BoardError.unreadable(error)
        }
    }

    /// Says that somebody looks at a topic, until the watch is released or dropped.
    ///
    /// What runs only while watched begins with the first watch of its operation, of one of its runs, or of the board,
    /// and ends some time after the last was released.
    package func watch(_ topic: Topic) -> Watch { watching.watch(topic) }

    /// How many look at exactly that topic.
    package func viewers(of topic: Topic) -> Int { watching.viewers(of: topic) }

    /// Ends all runs, records what is left, and starts nothing more.
    ///
    /// Returns when everything is recorded and all works have returned, or when the drain timeout is over. The journal
    /// stays open: whoever opened it closes it afterwards.
    public func shutdown() async {
        membership?.stop()
        scheduler.stop()
        watching.stop()
        reported.stop()
        scope.cancel()
        worker?.parts.stop()
        liveStores.close()
        let runs = runs.close()
        // Those of steps are left as they stand before anything stops, as they record nothing of how their steps end; and
        // they stop last: of each step it is written down that the server stopped it, not the run that it is a step of.
        for run in runs { run.leave() }
        for run in runs where run.request.host == nil { run.shutDown() }
        for run in runs where run.request.host != nil { run.shutDown() }
        let done = Deferred<Bool>()
        Task { [recorder, receiver, sender] in
            await sender?.close()
            await recorder.flush()
            for run in runs { _ = await run.outcome() }
            await receiver.resolved?.close()
            done.resolve(true)
        }
        if await done.value(within: drainTimeout.withLock { $0 }, clock: clock) == nil {
            let left = recorder.backlog
            logger.warning("Some runs had not ended or could not be recorded in time.", metadata: ["left": "\(left)"])
        }
        receiver.resolved?.stop()
        sender?.stop()
        assigner?.stop()
        recorder.stop()
        liveStores.removeAll()
        outputs.stop()
    }

    /// Sets what the journal may forget: from now on and each hour.
    ///
    /// A lower limit removes runs after a minute in which that is announced; see `announcedRemoval`.
    ///
    /// Without effect on a board whose journal keeps everything.
    public func keep(_ policy: RetentionPolicy) { retentionPolicy.value = policy }

    /// Lets the journal forget what it may, each hour and whenever that is set anew.
    func keepWithin() {
        guard configuration.retention != nil else { return }
        scope.launch { [retention, clock, retentionPolicy] in
            while !Task.isCancelled, let policy = retentionPolicy.value {
                let wait = await retention.look(policy)
                // A look is never cut short by another.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await clock.sleep(for: wait) }
                    group.addTask { _ = await retentionPolicy.first { $0 != policy } }
                    try await group.next()
                    group.cancelAll()
                }
            }
        }
    }
}

extension CancellationCause {
    static let unrecorded = CancellationCause(EndCause.unrecorded)
}
