import Flows
import Journals
import Operations
import Schedules
import States
import TestClocks
import TestSupport

@testable import Boards

/// Two boards on one journal: the first records, the second follows it.
final class BoardPair: Sendable {
    let cluster: ClusterDouble
    let clock = VirtualClock()
    let first: Board
    let second: Board

    init(_ operation: TestOperation = .quick, hears: Bool = true) async throws {
        cluster = await ClusterDouble(recording: "a")
        first = try await Self.open(cluster, "a", operation, clock)
        second = try await Self.open(cluster, "b", operation, clock)
        if hears { await hear() }
    }

    private static func open(
        _ cluster: ClusterDouble, _ node: String, _ operation: TestOperation, _ clock: VirtualClock
    ) async throws -> Board {
        var catalog = Catalog()
        catalog.add(operation, id: "job", title: "job", summary: "A test.")
        catalog.add(
            TestOperation.quick, id: "nightly", title: "nightly", summary: "A test.",
            schedule: try Schedule(cron: "@daily"))
        catalog.add(store: Tally(), id: "tally", title: "tally", summary: "A test.")
        var configuration = Board.Configuration()
        configuration.journalCheckInterval = nil
        configuration.retention = nil
        let time = Locked(Int64(1_000))
        return try await Board.open(
            catalog: catalog, journal: SharedJournalDouble(cluster, node: node), configuration: configuration,
            now: {
                time.withLock { time in
                    time += 1
                    return Timestamp(milliseconds: time)
                }
            }, clock: clock)
    }

    /// Lets both say that they are there, until each knows that the other is.
    func hear() async {
        while !knows(first) || !knows(second) {
            // Each beats, and sleeps for a second.
            await clock.sleepers(2)
            clock.advance(by: .seconds(1))
            cluster.ring()
            await Task.yield()
        }
    }

    private func knows(_ board: Board) -> Bool { (board.membership?.present.count ?? 0) > 1 }

    func shutdown() async {
        await second.shutdown()
        await first.shutdown()
    }

    /// The actors of all runs, oldest first.
    func actors() async throws -> [String] {
        try await first.runs(RunQuery(limit: 100)).runs.map(\.opening.actor).reversed()
    }
}
