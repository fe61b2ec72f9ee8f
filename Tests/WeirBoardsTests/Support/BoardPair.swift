import TestSupport
import WeirFlows
import WeirJournals
@testable import WeirBoards

/// Two boards on one journal, or more: the first records, the others follow it.
final class BoardPair: Sendable {
    let cluster: ClusterDouble
    let clock: VirtualClock
    let journals: [SharedJournalDouble]
    let boards: [Board]
    let log = CapturedLog()

    var first: Board { boards[0] }
    var second: Board { boards[1] }
    var third: Board { boards[2] }

    convenience init(_ operation: TestOperation = .quick, hears: Bool = true) async throws {
        try await self.init(hears: hears) { catalog, _ in
            catalog.add(operation, id: "job", title: "job", summary: "A test.")
        }
    }

    /// Opens a board for each of so many servers, which are called a, b and so on, with what is added to its catalog.
    init(
        servers: Int = 2, hears: Bool = true, configuration change: (inout Board.Configuration) -> Void = { _ in },
        _ add: (inout Catalog, String) -> Void
    ) async throws {
        cluster = await ClusterDouble(recording: "a")
        clock = VirtualClock()
        journals = ["a", "b", "c"].prefix(servers).map { [cluster] in SharedJournalDouble(cluster, node: $0) }
        var boards: [Board] = []
        for journal in journals {
            var catalog = Catalog()
            add(&catalog, journal.node)
            catalog.add(
                TestOperation.quick, id: "nightly", title: "nightly", summary: "A test.",
                schedule: try Schedule(cron: "@daily"))
            catalog.add(store: Tally(), id: "tally", title: "tally", summary: "A test.")
            var configuration = Board.Configuration()
            configuration.journalCheckInterval = nil
            configuration.retention = nil
            change(&configuration)
            let time = Locked(Int64(1_000))
            boards.append(
                try await Board.open(
                    catalog: catalog, journal: journal, configuration: configuration,
                    now: {
                        time.withLock { time in
                            time += 1
                            return Timestamp(milliseconds: time)
                        }
                    }, clock: clock, logger: log.logger))
        }
        self.boards = boards
        if hears { try await hear() }
    }

    /// Lets all say that they are there, until each knows that the others are, and has done what it does with that.
    func hear() async throws {
        try await beats { boards.allSatisfy { ($0.membership?.present.count ?? 0) == boards.count } }
        // Their next beats, and the schedules of the one that records.
        await clock.sleepers(boards.count + 1)
    }

    /// Lets a second go by, in which each server that goes on says that it is there, or tries to.
    func beat() async throws {
        let before = cluster.tries
        func isWaiting() -> Bool { journals.contains { cluster.tries[$0.node] == before[$0.node] } }
        while isWaiting() {
            try Task.checkCancellation()
            clock.advance(by: .seconds(1))
            cluster.ring()
            // One that is still busy with the second before needs another one; the others must not be far ahead by then.
            for _ in 0..<20_000 where isWaiting() { await Task.yield() }
        }
    }

    /// Lets seconds go by until something is so.
    func beats(until condition: () async throws -> Bool) async throws {
        try await until(condition, otherwise: beat)
    }

    func shutdown() async {
        for board in boards.reversed() { await board.shutdown() }
    }

    /// The actors of all runs, oldest first.
    func actors() async throws -> [String] {
        try await first.runs(RunQuery(limit: 100)).runs.map(\.opening.actor).reversed()
    }
}

/// What a command is refused with; nil when it is carried out.
func refusal(_ body: () async throws(BoardError) -> Void) async -> BoardError? {
    do {
        try await body()
        return nil
    } catch {
        return error
    }
}
