import NIOCore
import NIOPosix
import WeirBoards
import WeirJournals

/// The system's time, with timers on dedicated threads.
///
/// Callbacks render and encode answers, which would block the event loops of connections.
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

protocol WaitClock: Sendable {
    /// Monotonic time in milliseconds.
    var uptime: Int64 { get }
    /// Milliseconds since 1 January 1970, UTC; may jump.
    var wall: Int64 { get }
    /// Calls `body` once at an uptime or shortly after, on an unspecified thread. Calls it soon if the uptime has passed, but
    /// never before this method returns.
    func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void)
}

/// The parts of a feed that waiting requires: the head of each topic, its changes, and whether the topic has ended.
protocol HeadSource: Sendable {
    func head(of topic: Topic) -> SequenceNumber
    func isEnded(_ topic: Topic) -> Bool
    /// Calls `onMove` with the new head after each change of the topic, and when the topic ends, until the returned object is
    /// released.
    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable
}

extension VisibleFeed: HeadSource {
    /// Whether the topic is the output of an ended run; the end moves no head, unlike a run's last change.
    func isEnded(_ topic: Topic) -> Bool {
        guard case .output(let run) = topic else { return false }
        return output(of: run)?.isClosed ?? false
    }

    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable {
        observe(topic, after: nil, onPublish: onMove)
    }
}
