import NIOConcurrencyHelpers
import WeirAccess

/// Notices within half a second that somebody's rights may have changed, wherever that was decided.
///
/// Costs one comparison each time, and no query.
final class RightsWatch: Sendable {
    /// How often it looks, in milliseconds.
    static let interval: Int64 = 500

    private struct Watched {
        let control: AccessControl
        var generation: UInt64
    }

    private let clock: any WaitClock
    private let watched = NIOLockedValueBox<[Watched]>([])
    private let onChange: @Sendable () -> Void
    private let onLook: @Sendable () -> Void

    /// `onChange` is called after rights may have changed, `onLook` each time; on no thread in particular.
    init(clock: any WaitClock, onChange: @escaping @Sendable () -> Void, onLook: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.onChange = onChange
        self.onLook = onLook
    }

    /// Looks at one more access control from now on.
    func watch(_ control: AccessControl) {
        let isFirst = watched.withLockedValue { watched in
            guard !watched.contains(where: { $0.control === control }) else { return false }
            watched.append(Watched(control: control, generation: control.generation))
            return watched.count == 1
        }
        if isFirst { schedule() }
    }

    /// Looks now.
    func look() {
        let hasChanged = watched.withLockedValue { watched in
            var hasChanged = false
            for index in watched.indices {
                let generation = watched[index].control.generation
                hasChanged = hasChanged || generation != watched[index].generation
                watched[index].generation = generation
            }
            return hasChanged
        }
        if hasChanged { onChange() }
        onLook()
    }

    private func schedule() {
        clock.schedule(at: clock.uptime + Self.interval) { [weak self] in
            guard let self else { return }
            look()
            schedule()
        }
    }
}
