import Foundation
import NIOCore
import WeirJournals

@testable import WeirWeb

/// A clock with real timers, but at one moment of the day, when the slots of the feeds that tests hold are young, and four
/// times as slow as others: a slot that ends on its own in the midst of a test would answer what the test wants held.
struct FixedWallClock: WaitClock {
    /// How many milliseconds one of this clock takes.
    private static let pace: Int64 = 4

    let wall: Int64
    private let running: EventLoopClock

    init(group: any EventLoopGroup) {
        let slots = ["board", "runs", "operation-steps", "operation-keep", "store-bell"].map { PollSlots(feed: $0) }
        let base: Int64 = 1_790_000_000_000
        let moments = base..<base + PollSlots.length
        let youngest = moments.max { left, right in
            (slots.map { $0.rest(at: left) }.min() ?? 0) < (slots.map { $0.rest(at: right) }.min() ?? 0)
        }
        wall = youngest ?? base
        running = EventLoopClock(now: { .init(milliseconds: 0) })
    }

    var uptime: Int64 { running.uptime / Self.pace }

    func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void) {
        running.schedule(at: uptime * Self.pace, body)
    }
}

extension WaitClock {
    /// The id of a run whose feeds have young slots now: with any other id, a test would fail once in a while.
    func makeRunID() -> String {
        while true {
            let id = UUID().uuidString.lowercased().replacing("-", with: "")
            let slots = ["run-\(id)", "output-\(id)"].map { PollSlots(feed: $0) }
            if slots.allSatisfy({ $0.rest(at: wall) > 10_000 }) { return id }
        }
    }
}
