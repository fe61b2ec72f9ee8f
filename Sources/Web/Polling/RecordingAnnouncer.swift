import Boards
import Flows
import NIOConcurrencyHelpers

/// Says that recording has stopped, or goes on again: soon after it happens, but at most once a second.
final class RecordingAnnouncer: Sendable {
    private struct State {
        var isRecording = true
        var isDue = false
        var last = Int64.min / 2
    }

    /// The least time between two announcements, in milliseconds.
    static let quiet: Int64 = 1_000

    private let subscription: FlowSubscription

    /// Follows the status until it is let go; `announce` is called on a thread of the clock, never twice at once.
    init(
        _ status: ReadOnlyStateFlow<RecordingStatus>, clock: any HoldClock, announce: @escaping @Sendable () -> Void
    ) {
        let state = NIOLockedValueBox(State())
        subscription = status.subscribe(.conflated) { status in
            let due = state.withLockedValue { state -> Int64? in
                guard (status == .recording) != state.isRecording else { return nil }
                state.isRecording.toggle()
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
}
