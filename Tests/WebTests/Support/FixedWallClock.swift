import Journals
import NIOCore

@testable import Web

/// The real clock with real timers, but at one moment of the day, when the slots of the feeds that tests hold are young: a
/// slot that ends on its own in the midst of a test would answer what the test wants held.
struct FixedWallClock: WaitClock {
    let wall: Int64
    private let running: EventLoopClock

    init(group: any EventLoopGroup) {
        let slots = ["board", "operation-steps", "operation-keep"].map { PollSlots(feed: $0) }
        let base: Int64 = 1_790_000_000_000
        let moments = base..<base + PollSlots.length
        let youngest = moments.max { left, right in
            (slots.map { $0.rest(at: left) }.min() ?? 0) < (slots.map { $0.rest(at: right) }.min() ?? 0)
        }
        wall = youngest ?? base
        running = EventLoopClock(group: group, now: { .init(milliseconds: 0) })
    }

    var uptime: Int64 { running.uptime }

    func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void) {
        running.schedule(at: uptime, body)
    }
}
