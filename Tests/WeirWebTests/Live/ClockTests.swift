import NIOConcurrencyHelpers
import NIOPosix
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct ClockTests {
    /// The real clock, whose time of day stands still until somebody sets it, as one sets a machine's clock.
    private final class SettableWallClock: WaitClock {
        private let still = FixedWallClock(group: MultiThreadedEventLoopGroup.singleton)
        private let back = NIOLockedValueBox<Int64>(0)

        var wall: Int64 { still.wall - back.withLockedValue { $0 } }
        var uptime: Int64 { still.uptime }

        func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void) {
            still.schedule(at: uptime, body)
        }

        func set(back milliseconds: Int64) { back.withLockedValue { $0 = milliseconds } }
    }

    /// A day, but for seconds: a whole number of slots, so that those that are young are so then too.
    private static let day = 86_400_000 / PollSlots.length * PollSlots.length

    @Test(arguments: [-day, day]) func `a clock that is set back or on by a day leaves every viewer a way on`(
        back: Int64
    ) async throws {
        let clock = SettableWallClock()
        try await TestServer.run(clock: clock) { server in
            let first = try await server.start("Before")
            let head = server.board.feed.head(of: .board)
            let tail = try server.tail()
            let held = try await server.connect()
            try await held.send("GET", tail)
            try await server.untilHeld(1)
            clock.set(back: back)
            let second = try await server.start("After")
            // Who was waiting gets what is new.
            let news = try await held.response().json()
            #expect(news["k"] == "batch")
            #expect(news["from"]?.integer == head.rawValue)
            // Who comes with a slot of the other day is refused if it is one of the future, and answered at once if not;
            // either way the client goes on with what it was given beside it.
            let late = try await server.ask("GET", tail)
            #expect(late.status == (back > 0 ? 400 : 200))
            #expect(late["cache-control"] == (back > 0 ? "no-store" : "public, max-age=20"))
            let now = try await server.ask("GET", server.dashboard.pollResponder.answers.urls.now("board", .zero))
                .json()
            let sequences = try #require(now["ev"]?.array).compactMap { $0.array?.first?.integer }
            #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
            #expect(sequences.first == first.sequence?.rawValue)
            #expect(sequences.contains(try #require(second.sequence).rawValue))
            // From here on it follows as ever.
            let next = try #require(now["next"]?.string)
            try await held.send("GET", next)
            try await server.untilHeld(1)
            _ = try await server.start("Later")
            let later = try await held.response().json()
            #expect(later["k"] == "batch")
            #expect(later["from"] == now["to"])
        }
    }
}
