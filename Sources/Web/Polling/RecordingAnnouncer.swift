import Boards
import Flows
import Journals
import NIOConcurrencyHelpers

/// Says that what stands above every page has changed: soon after it happens, but at most once a second.
///
/// That is when recording stops or goes on again, and when there is another notice or one less.
final class RecordingAnnouncer: Sendable {
    private struct State {
        var isRecording = true
        var notices: [JournalNotice]
        var isDue = false
        var last = Int64.min / 2
    }

    /// The least time between two announcements, in milliseconds.
    static let quiet: Int64 = 1_000

    private let subscriptions: [FlowSubscription]

    /// Follows both until it is let go; `announce` is called on a thread of the clock, never twice at once.
    init(
        _ status: ReadOnlyStateFlow<RecordingStatus>, _ notices: ReadOnlyStateFlow<[JournalNotice]>,
        clock: any WaitClock, announce: @escaping @Sendable () -> Void
    ) {
        let state = NIOLockedValueBox(State(notices: notices.value))
        let change = { @Sendable (body: (inout State) -> Bool) in
            let due = state.withLockedValue { state -> Int64? in
                guard body(&state), !state.isDue else { return nil }
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
        subscriptions = [
            status.subscribe(.conflated) { status in
                change { state in
                    defer { state.isRecording = status == .recording }
                    return (status == .recording) != state.isRecording
                }
            },
            notices.subscribe(.conflated) { notices in
                change { state in
                    defer { state.notices = notices }
                    return notices != state.notices
                }
            },
        ]
    }
}
