import Foundation
import Synchronization
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// From a state that is set to the change that those who follow the board are told of, through recorder and file.
final class Visible: Sendable {
    private let set = Mutex<[ContinuousClock.Instant]>([])
    private let seen = Mutex<(cursor: SequenceNumber, times: [Double])>((0, []))
    private let count = MutableStateFlow(0)

    /// One state after the other, each set when the one before is seen: milliseconds.
    static func quiet(_ folder: URL, count: Int) async throws -> [Double] {
        let visible = Visible()
        try await visible.follow(folder, runs: 1) { set in
            for number in 0..<count {
                visible.stamp()
                set(.swing(number))
                _ = await visible.count.first { $0 > number }
            }
        }
        return visible.times
    }

    /// So many states a second for some seconds: milliseconds.
    static func busy(_ folder: URL, rate: Int, seconds: Int) async throws -> [Double] {
        let visible = Visible()
        try await visible.follow(folder, runs: 1) { set in
            let start = ContinuousClock.now
            for number in 0..<rate * seconds {
                let due = start + .nanoseconds(number * 1_000_000_000 / rate)
                if due > .now { try await Task.sleep(until: due, tolerance: .zero) }
                visible.stamp()
                set(.swing(number))
            }
        }
        return visible.times
    }

    /// Runs of ten changes each, 250 at a time, as fast as they go: how many changes are recorded in a second, and which.
    static func rate(_ folder: URL, count: Int) async throws -> (rate: Rate, drafts: [ChangeDraft]) {
        let visible = Visible()
        var rate = Rate()
        let clock = try await timed {
            rate.work = try await worked {
                try await visible.follow(folder, runs: count / 10, atOnce: 250) { set in
                    for number in 0..<8 { set(.swing(number)) }
                }
            }
        }
        let journal = try await Appending.open(folder)
        let drafts = try await journal.tail(count * 2).map(\.draft)
        await journal.close()
        rate.clock = Double(drafts.count) / clock
        rate.work = Double(drafts.count) / rate.work
        return (rate, drafts)
    }

    private var times: [Double] { seen.withLock { $0.times } }

    private func stamp() { set.withLock { $0.append(.now) } }

    /// Runs the work so often, on a board with a journal in that folder, until all of it is recorded.
    private func follow(
        _ folder: URL, runs: Int, atOnce: Int = 1,
        _ work: @escaping @Sendable (@Sendable (SwingState) -> Void) async throws -> Void
    ) async throws {
        var catalog = Catalog()
        catalog.add(Swinging(work: work), id: "swing", title: "Swing", summary: "Swings.")
        var configuration = Board.Configuration()
        configuration.retention = nil
        configuration.recordBufferLimit = .max / 4
        let journal = try await Appending.open(folder)
        let board = try await Board.open(catalog: catalog, journal: journal, configuration: configuration)
        let observation = board.feed.observe(.board, after: 0) { [feed = board.feed] _ in self.look(feed) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<atOnce {
                tasks.addTask {
                    for _ in 0..<runs / atOnce {
                        await board.outcome(of: try await board.start("swing", input: [:], actor: "bench").run)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        observation.cancel()
        await board.shutdown()
        await journal.close()
    }

    private func look(_ feed: Feed) {
        let now = ContinuousClock.now
        let numbers = seen.withLock { seen -> [Int] in
            guard case .some(let publications, _) = feed.slice(of: .board, after: seen.cursor, limit: .max / 4) else {
                return []
            }
            seen.cursor = publications.last?.change.sequence ?? seen.cursor
            let numbers = publications.compactMap { $0.change.state.payload["number"]?.integer.map(Int.init) }
            set.withLock { set in
                for number in numbers where number < set.count {
                    seen.times.append((now - set[number]) / .milliseconds(1))
                }
            }
            return numbers
        }
        if let last = numbers.last { count.value = last + 1 }
    }
}
