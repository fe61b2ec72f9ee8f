public import Flows
public import Foundation
public import Journals
public import Logging
import Operations
import States

/// What can be run, what runs, and what has happened: the one door for commands, and the place where views come from.
///
/// Commands return once the change they produced is recorded, so that their receipt names its sequence. Views come from
/// memory where they can; an open page costs the journal no query.
public final class Board: Sendable {
    /// What can be run.
    public let catalog: Catalog
    /// The journal's tail in memory.
    public let feed: Feed
    let journal: any Journal
    let configuration: Configuration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let runs = LiveRuns()
    let liveStores = LiveStores()
    let recorder: Recorder
    let outputs: OutputDesk
    let launcher: Launcher
    let watching: Watching
    let desk = IdempotencyDesk()
    private let scope = FlowScope()
    private let logger: Logger

    private init(
        _ loader: BoardLoader, feed: Feed, estimates: Estimates, recent: [String: [Change]],
        now: @escaping @Sendable () -> Timestamp, makeID: @escaping @Sendable () -> String, clock: any Clock<Duration>,
        logger: Logger
    ) {
        catalog = loader.catalog
        journal = loader.journal
        configuration = loader.configuration
        self.feed = feed
        self.clock = clock
        self.now = now
        self.logger = logger
        recorder = Recorder(
            journal: journal, configuration: configuration, now: now, clock: clock, logger: logger,
            head: feed.head(of: .board)
        ) { [feed, runs, liveStores] changes in
            feed.publish(changes)
            for change in changes {
                // Learned before whoever waits for the end hears of it: the next run may know.
                if change.state.phase == .succeeded, let run = feed.publication(at: change.sequence)?.run {
                    estimates.learn(from: run)
                }
                runs.recorded(change)
                liveStores.recorded(change)
            }
        } onOverflow: { [runs] in
            for run in runs.all { run.cancel(.unrecorded) }
        } output: { [runs] run in
            runs[run]?.output
        }
        outputs = OutputDesk(
            world: RunOutput.World(
                journal: journal, lineLimit: configuration.outputBufferLimit,
                byteLimit: configuration.outputBufferBytes, batchLimit: configuration.batchLimit, now: now,
                clock: clock, logger: logger, scope: FlowScope()),
            feed: feed)
        launcher = Launcher(
            catalog: catalog, configuration: configuration, recorder: recorder, outputs: outputs, runs: runs,
            estimates: estimates, clock: clock, makeID: makeID)
        watching = Watching(
            catalog: catalog, configuration: configuration, launcher: launcher, clock: clock, logger: logger)
        watching.follow(feed)
        for view in feed.board.stores {
            let store = view.entry.factory.store(view, recorder: recorder, now: now) {
                [recorder, liveStores, configuration] in
                // Twice what commands may fill: so the work that commands have set going can still tell its results.
                !liveStores.isClosed && recorder.backlog < 2 * configuration.recordBufferLimit
            }
            liveStores.add(store, keys: StoreKeys(recent[view.id] ?? []), id: view.id)
        }
    }

    /// Opens a board on a journal: takes up what the last process left, and loads the tail.
    ///
    /// Runs that were going are interrupted, and each store is in the state that was recorded last.
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
    public static func open(
        catalog: Catalog, journal: any Journal, configuration: Configuration = Configuration(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        makeID: (@Sendable () -> String)? = nil, clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger = Logger(label: "weir.board")
    ) async throws -> Board {
        let loader = BoardLoader(journal: journal, catalog: catalog, configuration: configuration)
        try await loader.interruptUnfinished(at: now())
        try await loader.beginStores(at: now(), logger: logger)
        let feed = try await loader.feed()
        let recent = try await loader.newestChangesOfStores(StoreKeys.limit)
        let makeID =
            makeID ?? {
                var generator = SystemRandomNumberGenerator()
                return RunID.make(at: now(), using: &generator)
            }
        let board = Board(
            loader, feed: feed, estimates: try await loader.estimates(), recent: recent, now: now, makeID: makeID,
            clock: clock, logger: logger)
        if let policy = configuration.retention { board.keepWithin(policy) }
        return board
    }

    /// Names the history that all sequences belong to.
    public var epoch: String { journal.epoch }

    /// Whether what happens is being written down.
    public var recording: RecordingStatus { recorder.status.value }

    /// Whether what happens is being written down, as it changes.
    public var recordingStatus: ReadOnlyStateFlow<RecordingStatus> { recorder.status }

    /// Says that somebody looks at a topic, until the watch is released or dropped.
    ///
    /// What runs only while watched begins with the first watch of its operation, of one of its runs, or of the board,
    /// and ends some time after the last was released.
    public func watch(_ topic: Topic) -> Watch { watching.watch(topic) }

    /// How many look at exactly that topic.
    public func viewers(of topic: Topic) -> Int { watching.viewers(of: topic) }

    /// Ends all runs, records what is left, and starts nothing more.
    ///
    /// Returns when everything is recorded and all works have returned, or when the drain timeout is over. The journal
    /// stays open: whoever opened it closes it afterwards.
    public func shutdown() async {
        watching.stop()
        scope.cancel()
        liveStores.close()
        let runs = runs.close()
        for run in runs { run.cancel(.shutdown) }
        let done = Deferred<Bool>()
        Task { [recorder] in
            await recorder.flush()
            for run in runs { _ = await run.outcome() }
            done.resolve(true)
        }
        if await done.value(within: configuration.drainTimeout, clock: clock) == nil {
            let left = recorder.backlog
            logger.warning("Not everything had ended and was recorded in time.", metadata: ["left": "\(left)"])
        }
        recorder.stop()
        liveStores.removeAll()
        outputs.stop()
    }

    /// Lets the journal forget what it may, now and then each hour.
    private func keepWithin(_ policy: RetentionPolicy) {
        scope.launch { [journal, recorder, feed, clock, now, logger] in
            while true {
                do {
                    let count = try await journal.prune(policy, now: now())
                    if count > 0 {
                        logger.info("Old runs were removed.", metadata: ["count": "\(count)"])
                        try await recorder.whileNothingIsRecorded { try await feed.forgetRemoved(from: journal) }
                    }
                } catch {
                    logger.error("Old runs could not be removed.", metadata: ["cause": "\(error)"])
                }
                try await clock.sleep(for: .seconds(3_600))
            }
        }
    }
}

extension CancellationCause {
    static let unrecorded = CancellationCause("its states could not be recorded any more")
}
