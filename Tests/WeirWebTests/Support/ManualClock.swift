import NIOConcurrencyHelpers

@testable import WeirWeb

/// A clock that stands still until it is told to go on; what was scheduled happens then, in order, on the caller's thread.
final class ManualClock: WaitClock {
    private struct Entry {
        let at: Int64
        let order: Int
        let body: @Sendable () -> Void
    }

    private struct State {
        var uptime: Int64 = 0
        var wall: Int64
        var entries: [Entry] = []
        var order = 0
    }

    private let state: NIOLockedValueBox<State>

    init(wall: Int64 = 1_790_000_000_000) { state = NIOLockedValueBox(State(wall: wall)) }

    var uptime: Int64 { state.withLockedValue { $0.uptime } }
    var wall: Int64 { state.withLockedValue { $0.wall } }

    func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void) {
        state.withLockedValue { state in
            state.order += 1
            state.entries.append(Entry(at: uptime, order: state.order, body: body))
        }
    }

    /// How many timers are set.
    var pending: Int { state.withLockedValue { $0.entries.count } }

    /// Lets time pass, and everything that falls due in it happen at its moment.
    func advance(by time: Int64) {
        let end = uptime + time
        while let entry = next(until: end) { entry.body() }
        state.withLockedValue { state in
            state.wall += end - state.uptime
            state.uptime = end
        }
    }

    /// Sets what the clock on the wall shows, forwards or back, while no time passes.
    func set(wallBy time: Int64) { state.withLockedValue { $0.wall += time } }

    /// The same for very many timers: those due now in one step, without an order among them.
    func runAll(until end: Int64) {
        state.withLockedValue { state in
            let time = max(state.uptime, end)
            state.wall += time - state.uptime
            state.uptime = time
        }
        while true {
            let due = state.withLockedValue { state in
                let due = state.entries.filter { $0.at <= state.uptime }
                state.entries.removeAll { $0.at <= state.uptime }
                return due
            }
            if due.isEmpty { return }
            for entry in due { entry.body() }
        }
    }

    private func next(until end: Int64) -> Entry? {
        state.withLockedValue { state in
            let due = state.entries.indices.filter { state.entries[$0].at <= end }
            let first = due.min { left, right in
                (state.entries[left].at, state.entries[left].order) < (
                    state.entries[right].at, state.entries[right].order
                )
            }
            guard let first else { return nil }
            let entry = state.entries.remove(at: first)
            let time = max(state.uptime, entry.at)
            state.wall += time - state.uptime
            state.uptime = time
            return entry
        }
    }
}
