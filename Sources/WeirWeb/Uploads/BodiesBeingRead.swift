import NIOConcurrencyHelpers

/// The requests whose bodies are being read, so that one is stopped whose sender loses the right to it while nothing comes.
final class BodiesBeingRead: Sendable {
    private struct Entry {
        let right: HeldRight
        let stop: @Sendable () -> Void
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var last = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Takes in a request; `stop` ends its body, on any thread.
    ///
    /// Returns what `end` takes.
    func begin(_ right: HeldRight, stop: @escaping @Sendable () -> Void) -> Int {
        state.withLockedValue { state in
            state.last &+= 1
            state.entries[state.last] = Entry(right: right, stop: stop)
            return state.last
        }
    }

    /// The request is answered.
    func end(_ number: Int) { state.withLockedValue { $0.entries[number] = nil } }

    /// How many there are.
    var count: Int { state.withLockedValue { $0.entries.count } }

    /// Stops those whose senders have lost the right to them.
    func lookAtRights() {
        for entry in state.withLockedValue({ Array($0.entries.values) }) where !entry.right.isHeld { entry.stop() }
    }
}
