import Logging
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// A board for a test: one operation or a few, a journal that fails on command, and a clock that stands still.
struct BoardFixture: Sendable {
    let board: Board
    let journal: JournalDouble
    let clock: VirtualClock

    /// Opens a board; its retention is off unless the configuration says otherwise.
    static func open(
        _ operations: [String: TestOperation] = [:], stores: [String: Tally] = [:], printing: PrintingOperation? = nil,
        reentry: ReentryPolicy = .concurrent,
        lifetime: Lifetime = .onDemand, on journal: JournalDouble = JournalDouble(),
        clock: VirtualClock = VirtualClock(),
        wall: MutableStateFlow<Int64>? = nil, logger: Logger = Logger(label: "test"),
        configure: (inout Board.Configuration) -> Void = { $0.retention = nil }
    ) async throws -> BoardFixture {
        var catalog = Catalog()
        for (id, operation) in operations.sorted(by: { $0.key < $1.key }) {
            catalog.add(operation, id: id, title: id, summary: "A test.", reentry: reentry, lifetime: lifetime)
        }
        for (id, store) in stores.sorted(by: { $0.key < $1.key }) {
            catalog.add(store: store, id: id, title: id, summary: "A test.")
        }
        if let printing { catalog.add(printing, id: "print", title: "print", summary: "A test.") }
        var configuration = Board.Configuration()
        configuration.journalCheckInterval = nil
        configure(&configuration)
        let time = Locked(Int64(1_000))
        let now = { @Sendable in
            Timestamp(
                milliseconds: wall?.value
                    ?? time.withLock { time in
                        time += 1; return time
                    })
        }
        let board = try await Board.open(
            catalog: catalog, journal: journal, configuration: configuration, now: now, clock: clock, logger: logger)
        return BoardFixture(board: board, journal: journal, clock: clock)
    }

    /// Opens a board with one store, `tally`.
    static func tally(
        _ store: Tally = Tally(), on journal: JournalDouble = JournalDouble(), clock: VirtualClock = VirtualClock(),
        configure: (inout Board.Configuration) -> Void = { $0.retention = nil }
    ) async throws -> BoardFixture {
        try await open(stores: ["tally": store], on: journal, clock: clock, configure: configure)
    }

    /// Waits for a publication of the topic after a cursor that fits.
    @discardableResult
    func published(
        _ topic: Topic = .board, after: SequenceNumber = 0, where fits: @escaping @Sendable (Publication) -> Bool
    ) async throws -> Publication {
        let found = Deferred<Publication>()
        let cursor = Locked(after)
        let look = { @Sendable [feed = board.feed] (_: SequenceNumber) in
            while case .some(let publications, _) = feed.slice(of: topic, after: cursor.withLock { $0 }, limit: 100) {
                cursor.withLock { $0 = publications.last?.change.sequence ?? $0 }
                if let fitting = publications.first(where: fits) { return found.resolve(fitting) }
            }
        }
        let observation = board.feed.observe(topic, after: after, onPublish: look)
        defer { observation.cancel() }
        guard let publication = await found.value() else { throw CancellationError() }
        return publication
    }

    /// Waits for the end of any run.
    @discardableResult
    func ended(after: SequenceNumber = 0) async throws -> Publication {
        try await published(after: after) { $0.change.state.phase.isEnded }
    }

    /// The cases of a topic's recorded changes, in order.
    func cases(of topic: Topic = .board) async throws -> [String] {
        try await journal.changes(of: topic, after: 0, through: nil, limit: 1_000_000).map(\.state.caseName)
    }
}

extension TestOperation {
    /// Succeeds at once.
    static let quick = TestOperation { input, state in
        state.value = .working(step: 1)
        state.value = .success(text: input.label ?? "")
    }

    /// Works until it is cancelled.
    static let endless = TestOperation { _, state in
        state.value = .working(step: 1)
        try await Gate().pass()
    }
}
