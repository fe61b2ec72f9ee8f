import WeirFlows

/// A clock that stands still: each sleep ends when the test lets it, or at once where the test says so beforehand.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Core {
        var now = Duration.zero
        var number = 0
        var sleeping: [Int: (duration: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var slept: [Duration] = []
    }

    private let core = Locked(Core())
    private let passes: @Sendable (Duration) -> Bool
    /// How long each sleep was to be, in order.
    let asked = MutableStateFlow<[Duration]>([])

    /// Makes a clock on which sleeps of some durations end at once, having moved it on.
    init(passes: @escaping @Sendable (Duration) -> Bool = { _ in false }) { self.passes = passes }

    var now: Instant { Instant(offset: core.withLock { $0.now }) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let duration = now.duration(to: deadline)
        if passes(duration) {
            core.withLock { $0.now = max($0.now, deadline.offset) }
            return asked.mutate { $0.append(duration) }
        }
        let number = core.withLock { core in
            core.number += 1
            return core.number
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                core.withLock { $0.sleeping[number] = (duration, continuation) }
                // Not before: whoever waits for the sleeper may end its sleep at once.
                asked.mutate { $0.append(duration) }
                if Task.isCancelled { end(number, throwing: CancellationError()) }
            }
        } onCancel: {
            end(number, throwing: CancellationError())
        }
    }

    /// Ends the sleeps of that duration, having moved the clock on.
    func end(_ duration: Duration) {
        let numbers = core.withLock { core in
            core.now += duration
            return core.sleeping.filter { $0.value.duration == duration }.map(\.key)
        }
        for number in numbers { end(number, throwing: nil) }
    }

    /// Suspends until somebody sleeps for that long.
    func sleeper(of duration: Duration) async {
        _ = await asked.first { $0.contains(duration) }
    }

    private func end(_ number: Int, throwing error: (any Error)?) {
        let continuation = core.withLock { $0.sleeping.removeValue(forKey: number)?.continuation }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}
