import NIOConcurrencyHelpers
import WeirBoards
import WeirPages

/// Announces changes of unfinished lines, and limits the holds of polls for a while after each.
///
/// The cursor of a poll does not say which unfinished lines its client has. A client that was between two polls during a change
/// gets it at the end of a short hold.
final class UnfinishedWatch: Sendable {
    /// How long after a change holds are short, in milliseconds.
    private static let recent: Int64 = 2_000
    private static let shortHold: Int64 = 400
    private static let limit = 1_000

    private let clock: any WaitClock
    private let changes: NIOLockedValueBox<[String: Int64]>
    private let observation: FeedObservation

    /// Calls `announce` on a thread of the clock with a run whose unfinished lines have changed.
    init(_ feed: VisibleFeed, clock: any WaitClock, announce: @escaping @Sendable (String) -> Void) {
        let changes = NIOLockedValueBox<[String: Int64]>([:])
        self.clock = clock
        self.changes = changes
        observation = feed.observeUnfinished { run in
            let now = clock.uptime
            changes.withLockedValue { changes in
                if changes.count >= Self.limit { changes = changes.filter { now - $0.value < Self.recent } }
                changes[run] = now
            }
            clock.schedule(at: now) { announce(run) }
        }
    }

    /// The maximum hold of a page's poll in milliseconds, or nil if nothing has changed recently.
    func hold(_ topic: PageTopic) -> Int64? {
        guard case .output(let run) = topic, let changed = changes.withLockedValue({ $0[run] }) else { return nil }
        return clock.uptime - changed < Self.recent ? Self.shortHold : nil
    }
}
