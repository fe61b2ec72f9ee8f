import NIOConcurrencyHelpers
import WeirBoards
import WeirFlows

/// Announces changes to the notices above every page, at most once a second.
///
/// Such changes are: recording stops or resumes, the journal's notices change, a removal is announced or cancelled,
/// changed settings are refused or applied, a quiet start ends, the disk becomes almost full or has space again, a
/// scheduled start does not happen or follows one that did not, and failures are acknowledged.
final class RecordingAnnouncer: Sendable {
    private struct State {
        var isDue = false
        var last = Int64.min / 2
    }

    /// The minimum time between two announcements, in milliseconds.
    static let quiet: Int64 = 1_000

    private let subscriptions: [FlowSubscription]

    convenience init(_ board: VisibleBoard, clock: any WaitClock, announce: @escaping @Sendable () -> Void) {
        self.init(clock: clock, announce: announce) { change in
            [
                Self.follow(board.recordingStatus, by: { $0 == .recording }, change),
                Self.follow(board.currentNotices, by: { $0 }, change),
                Self.follow(board.announcedRemoval, by: { $0 }, change),
                Self.follow(board.refusedSettings, by: { $0 }, change),
                Self.follow(board.scheduleChanges, by: { _ in board.attentionLabel }, change),
                Self.follow(board.acknowledgementChanges, by: { $0 }, change),
                Self.follow(board.quiet, by: { $0 }, change),
                Self.follow(board.diskAlmostFullSince, by: { $0 }, change),
            ]
        }
    }

    /// Calls `announce` on a thread of the clock, never concurrently, after the changes that `follow` subscribes to.
    init(
        clock: any WaitClock, announce: @escaping @Sendable () -> Void,
        follow: (@escaping @Sendable () -> Void) -> [FlowSubscription]
    ) {
        let state = NIOLockedValueBox(State())
        subscriptions = follow {
            let due = state.withLockedValue { state -> Int64? in
                guard !state.isDue else { return nil }
                state.isDue = true
                return max(clock.uptime, state.last + Self.quiet)
            }
            guard let due else { return }
            clock.schedule(at: due) {
                state.withLockedValue { state in
                    state.isDue = false
                    state.last = clock.uptime
                }
                announce()
            }
        }
    }

    /// Calls `change` when a part of a flow's value changes.
    static func follow<Value, Part: Equatable & Sendable>(
        _ flow: ReadOnlyStateFlow<Value>, by part: @escaping @Sendable (Value) -> Part,
        _ change: @escaping @Sendable () -> Void
    ) -> FlowSubscription {
        let last = NIOLockedValueBox(part(flow.value))
        return flow.subscribe(.conflated) { value in
            let next = part(value)
            let isChanged = last.withLockedValue { last in
                defer { last = next }
                return last != next
            }
            if isChanged { change() }
        }
    }
}
