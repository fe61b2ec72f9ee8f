public import Foundation
public import Journals
public import Logging
public import Operations
public import States

/// What can be run, what runs, and what has happened: the one door for commands, and the place where views come from.
///
/// Commands return once the change they produced is recorded, so that their receipt names its sequence. Views come from
/// memory where they can; an open page costs the journal no query.
public final class Board: Sendable {
    /// What can be run.
    public let catalog: Catalog
    /// The journal's tail in memory.
    public let feed: Feed
    private let journal: any Journal

    private init(catalog: Catalog, journal: any Journal) {
        self.catalog = catalog
        self.journal = journal
        feed = Feed()
    }

    /// Opens a board on a journal: ends what was going when the last process stopped, and loads the tail.
    public static func open(
        catalog: Catalog, journal: any Journal, configuration: Configuration = Configuration(),
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        makeID: (@Sendable () -> String)? = nil, clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger = Logger(label: "weir.board")
    ) async throws -> Board {
        Board(catalog: catalog, journal: journal)
    }

    /// Names the history that all sequences belong to.
    public var epoch: String { journal.epoch }

    /// Starts a run, and returns once its opening is recorded.
    public func start(
        _ operation: String, input: JSONValue, content: (any FileContent)? = nil, actor: String,
        idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        throw BoardError(.unavailable, "This board cannot run anything yet.")
    }

    /// Asks a run to stop, and returns once its end is recorded, or after a short while.
    public func cancel(_ run: String, actor: String) async throws(BoardError) -> StartReceipt {
        throw BoardError(.unavailable, "This board cannot run anything yet.")
    }

    /// Starts an ended run's operation again, with the same input unless another is given.
    public func retry(_ run: String, input: JSONValue? = nil, actor: String) async throws(BoardError) -> StartReceipt {
        throw BoardError(.unavailable, "This board cannot run anything yet.")
    }

    /// Waits until a run has ended and its end is recorded.
    ///
    /// Returns at once for a run that is not going.
    public func outcome(of run: String) async {}

    /// The whole board as it stands, from memory.
    public func view() -> BoardView { BoardView(sequence: 0, operations: [], recentRuns: []) }

    /// A run as it stands.
    public func run(_ id: String) async throws(BoardError) -> RunView {
        throw BoardError(.unknownRun, "There is no run “\(id)”.")
    }

    /// A run as it stood right after a change, or after its last change before.
    public func run(_ id: String, at sequence: Int64) async throws(BoardError) -> RunView {
        throw BoardError(.unknownRun, "There is no run “\(id)”.")
    }

    /// The runs that match, newest first.
    public func runs(_ query: RunQuery) async throws(BoardError) -> RunPage { RunPage(runs: [], next: nil) }

    /// How many runs of each operation are in each phase.
    public func counts() async throws(BoardError) -> [RunCount] { [] }

    /// The topic's changes after a cursor, oldest first: from memory where they are there, else from the journal.
    ///
    /// - Parameter after: The cursor; nil for all that is kept.
    public func changes(of topic: Topic, after: Int64?, limit: Int) async throws(BoardError) -> ChangeSlice {
        ChangeSlice(changes: [], from: after ?? 0, to: after ?? 0, more: false, lost: nil)
    }

    /// Says that somebody looks at a topic, until the watch is released or dropped.
    public func watch(_ topic: Topic) -> Watch { Watch(topic: topic) {} }

    /// How many look at a topic.
    public func viewers(of topic: Topic) -> Int { 0 }

    /// Whether what happens is being written down.
    public var recording: RecordingStatus { .recording }

    /// Ends all runs, records what is left, and starts nothing more.
    ///
    /// Returns within the drain timeout.
    public func shutdown() async {}
}
