import NIOConcurrencyHelpers
import WeirAccess

/// Detects within half a second that rights may have changed, with one comparison per access control and no query.
final class RightsWatch: Sendable {
    /// The interval between checks, in milliseconds.
    static let interval: Int64 = 500

    private struct Watched {
        let control: AccessControl
        var generation: UInt64
    }

    private let clock: any WaitClock
    private let watched = NIOLockedValueBox<[Watched]>([])
    private let onChange: @Sendable () -> Void
    private let onLook: @Sendable () -> Void

    /// Calls `onChange` after rights may have changed, and `onLook` after each check, on any thread.
    init(clock: any WaitClock, onChange: @escaping @Sendable () -> Void, onLook: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.onChange = onChange
        self.onLook = onLook
    }

    func watch(_ control: AccessControl) {
        let isFirst = watched.withLockedValue { watched in
            guard !watched.contains(where: { $0.control === control }) else { return false }
            watched.append(Watched(control: control, generation: control.generation))
            return watched.count == 1
        }
        if isFirst { schedule() }
    }

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
