import Flows

/// Lets one in at a time, in the order in which they came.
final class Turnstile: Sendable {
    private struct Core {
        var isTaken = false
        var waiting: [Deferred<Bool>] = []
    }

    private let core = Locked(Core())

    /// Does something while nobody else is in.
    ///
    /// Throws `CancellationError` when the caller is cancelled before its turn, and what the body throws.
    func alone<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let turn = core.withLock { core -> Deferred<Bool>? in
            guard core.isTaken else {
                core.isTaken = true
                return nil
            }
            let turn = Deferred<Bool>()
            core.waiting.append(turn)
            return turn
        }
        if let turn, await turn.value() == nil {
            giveUp(turn)
            throw CancellationError()
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        let next = core.withLock { core -> Deferred<Bool>? in
            guard !core.waiting.isEmpty else {
                core.isTaken = false
                return nil
            }
            return core.waiting.removeFirst()
        }
        next?.resolve(true)
    }

    /// Leaves the queue; one whose turn has come in the meantime gives it on.
    private func giveUp(_ turn: Deferred<Bool>) {
        let wasWaiting = core.withLock { core in
            let index = core.waiting.firstIndex { $0 === turn }
            if let index { core.waiting.remove(at: index) }
            return index != nil
        }
        if !wasWaiting { leave() }
    }
}
