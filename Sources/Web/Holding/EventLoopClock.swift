import Journals
import NIOCore

/// The time as the system has it, with timers on event loops.
struct EventLoopClock: HoldClock {
    let group: any EventLoopGroup
    let now: @Sendable () -> Timestamp

    var uptime: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

    var wall: Int64 { now().milliseconds }

    func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void) {
        let delay = uptime - self.uptime
        let loop = group.any()
        if delay > 0 {
            loop.scheduleTask(in: .milliseconds(delay), body)
        } else {
            loop.execute(body)
        }
    }
}
