import NIOCore
import NIOPosix
import WeirJournals

/// The time as the system has it, with timers on threads of their own.
///
/// What is called back renders and encodes answers: the event loops of connections, and other connections with them, need not wait
/// for that.
final class EventLoopClock: WaitClock {
    private let group: MultiThreadedEventLoopGroup
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        group = MultiThreadedEventLoopGroup(numberOfThreads: min(8, max(2, System.coreCount)))
    }

    deinit { group.shutdownGracefully { _ in } }

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

/// The time that waiting is measured in, and a way to be called at a later one.
protocol WaitClock: Sendable {
    /// Milliseconds of a clock that never jumps.
    var uptime: Int64 { get }
    /// Milliseconds since 1 January 1970, UTC; may jump.
    var wall: Int64 { get }
    /// Calls back once, at that uptime or soon after, on no thread in particular; at once if it has passed, but never
    /// before this call returns.
    func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void)
}
