import Flows

/// A clock that stands still until a test moves it on.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        let offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Core {
        var now = Instant(offset: .zero)
        var made = 0
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
    }

    private let core = Locked(Core())
    let count = MutableStateFlow(0)

    var now: Instant { core.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = core.withLock { core in
            core.made += 1
            return core.made
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end = core.withLock { core -> Result<Void, any Error>? in
                    if core.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if deadline <= core.now { return .success(()) }
                    core.sleepers[id] = (deadline, continuation)
                    return nil
                }
                if let end { continuation.resume(with: end) } else { publish() }
            }
        } onCancel: {
            let sleeper = core.withLock { core -> CheckedContinuation<Void, any Error>? in
                guard let sleeper = core.sleepers.removeValue(forKey: id) else {
                    core.cancelled.insert(id)
                    return nil
                }
                return sleeper.continuation
            }
            // Told first: whoever goes on because this sleeper does must not count it any more.
            if sleeper != nil { publish() }
            sleeper?.resume(throwing: CancellationError())
        }
    }

    /// Moves the clock on and wakes whoever sleeps until then.
    func advance(by duration: Duration) {
        let due = core.withLock { core in
            core.now = core.now.advanced(by: duration)
            let due = core.sleepers.filter { $0.value.deadline <= core.now }
            for id in due.keys { core.sleepers[id] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }.map(\.continuation)
        }
        publish()
        for continuation in due { continuation.resume() }
    }

    /// Waits until so many sleep whose time has not come.
    func sleepers(_ count: Int) async {
        _ = await self.count.first { $0 >= count }
    }

    /// Waits until nobody but so many sleeps.
    func sleepers(atMost count: Int) async {
        _ = await self.count.first { $0 <= count }
    }

    private func publish() {
        _ = count.update { _ in core.withLock { $0.sleepers.count } }
    }
}
