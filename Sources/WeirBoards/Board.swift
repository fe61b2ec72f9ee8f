package import Foundation
public import Logging
package import WeirFlows
public import WeirJournals
import WeirOperations
import WeirStates
import WeirTelemetry

/// Runs operations and records their states: the entry point for commands and queries.
///
/// A command returns once the change that it produced is recorded, so that its receipt contains the sequence. Views
/// are read from memory where possible; an open page costs no journal query.
public final class Board: Sendable {
    package var catalog: Catalog { launcher.catalog }
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
    let acknowledgements: Acknowledgements
    let versions: OperationVersions
    let replacing = AsyncLock()
    let role: MutableStateFlow<BoardRole>
    /// This server's membership among the servers of a shared journal, or nil for a single server.
    let membership: Membership?
    /// Forwards commands to the recording server, or nil for a single server.
    let sender: CommandSender?
    /// Executes commands from other servers; set by `takePart`.
    let receiver = Deferred<CommandReceiver>()
    let drainTimeout: Locked<Duration>
    let quietStart: MutableStateFlow<QuietStart?>
    /// The kept runs that the end of a quiet start has begun to take up.
    let takenUp = Locked<Set<String>>([])
    /// Called with the ids of deleted runs, on every server.
    package let deleted = DeletionObservers()
    let monitor: RunMonitor
    let foreignOutput: ForeignOutput?
    let assigner: RunAssigner?
    /// Executes runs that another server has opened, or nil for a single server.
    let worker: RunWorker?
    let scope = FlowScope(executor: nil)
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
        quietStart = MutableStateFlow(configuration.quiet)
        retentionPolicy = MutableStateFlow(configuration.retention)
        self.feed = feed
        self.clock = clock
        self.now = now
        self.logger = logger
        let monitor = RunMonitor(configuration.telemetry, now: now, logger: logger)
        self.monitor = monitor
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
        foreignOutput = shared.map { shared in
            ForeignOutput(shared, feed: feed, catalog: catalog) { run in
                role.value == .following ? runs[run] == nil : runs[run]?.isHere == false
            }
        }
        let acknowledgements = Acknowledgements(journal: journal, now: now, logger: logger)
        self.acknowledgements = acknowledgements
        versions = OperationVersions(journal: journal, now: now, logger: logger)
        let receivers = ChangeReceivers(
            feed: feed, runs: runs, stores: liveStores, foreignOutput: foreignOutput, estimates: estimates, role: role,
            acknowledgements: acknowledgements, deleted: deleted, journal: journal, artifacts: configuration.artifacts,
            scope: scope)
        let follower = Follower(
            journal: journal, head: feed.head(of: .board), batchLimit: configuration.batchLimit,
            publish: receivers.publish, prepare: receivers.prepare, forget: receivers.forget)
        recorder = Recorder(
            journal: journal, configuration: configuration, now: now, clock: clock, logger: logger, follower: follower,
            monitor: monitor
        ) { [runs] in
            for run in runs.all where run.isHere { run.cancel(.unrecorded) }
        } output: { [runs] run in
            runs[run]?.output
        }
        let noting = recorder
        sender =
            membership == nil ? nil : shared.map { CommandSender($0, clock: clock) { error in noting.note(error) } }
        retention = Retention(
            journal: journal, recorder: recorder, feed: feed, now: now, clock: clock, logger: logger)
        outputs = RunOutputs(
            environment: RunOutput.Environment(
                journal: journal, lineLimit: configuration.outputBufferLimit,
                byteLimit: configuration.outputBufferBytes,
                maximum: ByteCount(clamping: configuration.maximumOutput), disk: configuration.disk,
                batchLimit: configuration.batchLimit, now: now,
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
            RunSurroundings(
                recorder: recorder, outputs: outputs, assigner: assigner, monitor: monitor, logger: logger),
            runs: runs, estimates: estimates, clock: clock, makeID: makeID
        ) { [membership] in
            membership?.nodes.thisServer
        }
        self.launcher = launcher
        worker = others.map { RunWorker($0, launcher: launcher, recorder: recorder, now: now, logger: logger) }
        scheduler = Scheduler(
            journal: journal, metrics: configuration.telemetry.metrics, now: now, clock: clock, logger: logger)
        watching = Watching(
            catalog: catalog, configuration: configuration, launcher: launcher,
            isHeld: role.value == .following, clock: clock, logger: logger)
        watching.follow(feed)
    }

    /// Opens a board on a journal, recovers what the previous process left unfinished, and loads the tail.
    ///
    /// Active runs are interrupted, except runs of steps, which continue, and reported runs, which stay open until
    /// their lease expires. Each store starts in its last recorded state. On a shared journal that another server
    /// records, the board is read-only and recovers nothing until it takes over.
    ///
    /// - Parameters:
    ///   - catalog: The operations and stores.
    ///   - journal: Records every change. The board does not close it.
    ///   - configuration: The limits of the board.
    ///   - now: Returns the timestamp of each change.
    ///   - makeID: Makes run ids of `a-z` and `0-9`, at most 60 characters; by default 26 characters that sort by time.
    ///   - clock: Measures every wait.
    ///   - logger: Receives details that pages do not show.
    /// - Returns: The board, ready for commands.
    /// - Throws: `JournalError` if the journal cannot be read, or cannot be written while runs must be interrupted.
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
            board.removeArtifactsHourly()
            if let interval = configuration.journalCheckInterval {
                board.recorder.lookAfterJournal(every: interval, as: board.role)
            }
            return board
        } catch let error as JournalError where error.code == .corrupt {
            journal.markUnusable()
            throw error
        }
    }

    package var epoch: String { journal.epoch }

    /// The zone of the weeks and days of reports and digests.
    package var zone: TimeZone { configuration.zone }

    package var recording: RecordingStatus { recorder.status.value }

    var recordingStatus: ReadOnlyStateFlow<RecordingStatus> { recorder.status }

    var announcedRemoval: ReadOnlyStateFlow<AnnouncedRemoval?> { retention.announced.asStateFlow() }

    /// The last event of an announced removal, or nil before the first.
    package var removals: ReadOnlyStateFlow<RemovalEvent?> { retention.events.asStateFlow() }

    /// The settings that were last refused, or nil if the settings last read are in force.
    package let refusedSettings = MutableStateFlow<RefusedSettings?>(nil)

    /// Why the server starts and sends nothing automatically, or nil if it does.
    package var quiet: ReadOnlyStateFlow<QuietStart?> { quietStart.asStateFlow() }

    /// The journal notices that have not been dismissed, oldest first.
    package var notices: [JournalNotice] { recorder.notices.value }

    var currentNotices: ReadOnlyStateFlow<[JournalNotice]> { recorder.notices }

    /// Dismisses a notice, and returns whether it was present.
    ///
    /// Throws `BoardError` with `unavailable` if the journal cannot be written.
    @discardableResult
    func dismissNotice(_ id: String) async throws(BoardError) -> Bool {
        if follows {
            let isDismissed = try await handOver(.dismissNotice(id: id)).isDone
            // On failure, the periodic check reads them within a second.
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

    /// Registers a viewer of a topic until the watch is released or dropped.
    ///
    /// A watched operation starts with the first watch of the operation, of one of its runs, or of the board, and ends
    /// some time after the last watch is released.
    package func watch(_ topic: Topic) -> Watch { watching.watch(topic) }

    func viewers(of topic: Topic) -> Int { watching.viewers(of: topic) }

    /// Sets the retention policy, which applies immediately and then hourly.
    ///
    /// Lower limits remove runs only after a one-minute announcement; see `announcedRemoval`. Has no effect on a board
    /// whose journal keeps everything.
    public func keep(_ policy: RetentionPolicy) { retentionPolicy.value = policy }

    /// Applies the retention policy hourly and whenever it changes.
    func keepWithin() {
        guard configuration.retention != nil else { return }
        scope.launch { [weak self, retention, clock, retentionPolicy] in
            while !Task.isCancelled, let policy = retentionPolicy.value {
                let wait = await retention.look(policy)
                await self?.removeArtifactsOfRemovedRuns()
                // A change of the policy ends the sleep, not a check in progress.
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

extension Board {
    /// Opens a board with a journal in memory.
    ///
    /// - Parameters:
    ///   - catalog: The operations that can be run, and the stores that can be acted on.
    ///   - journal: Records every change.
    ///   - configuration: The limits of the board.
    ///   - logger: Receives details that pages do not show.
    /// - Returns: The board, ready for commands.
    /// - Throws: `JournalError` if the journal cannot be used.
    public static func open(
        catalog: Catalog, journal: MemoryJournal = MemoryJournal(), configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "weir.board")
    ) async throws -> Board {
        let any: any Journal = journal
        return try await open(catalog: catalog, journal: any, configuration: configuration, logger: logger)
    }
}
