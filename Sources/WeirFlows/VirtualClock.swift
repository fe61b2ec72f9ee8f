/// A clock for tests, on which no real time passes.
///
/// It stands still until a test advances it; sleeping tasks wake in the order of their deadlines once the clock
/// reaches them. A `VirtualClock(advancing: .onSleep)` advances to the deadline of each sleep instead.
public final class VirtualClock: Clock, Sendable {
    /// An instant: the time since the clock was created.
    public struct Instant: InstantProtocol, Sendable {
        /// The time since the clock was created.
        package let offset: Duration

        /// Returns the instant later by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Orders by time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    /// How a clock advances.
    public enum Advancing: Sendable, Hashable {
        /// Only with `advance(by:)`.
        case byHand
        /// At each sleep, which returns at once with the clock at its deadline.
        case onSleep
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Dial {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var nextID = 0
    }

    private let dial = Locked(Dial())
    private let sleeping = MutableStateFlow(0)

    private let advancing: Advancing

    /// Creates a clock at zero.
    public init(advancing: Advancing = .byHand) { self.advancing = advancing }

    /// The current instant of the clock.
    public var now: Instant { dial.withLock { $0.now } }

    /// The smallest step.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of tasks that sleep on the clock, as a flow; await it before advancing the clock.
    public var sleepers: ReadOnlyStateFlow<Int> { sleeping.asStateFlow() }

    /// Suspends until the clock reaches the deadline.
    ///
    /// Throws `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        if advancing == .onSleep {
            try Task.checkCancellation()
            dial.withLock { $0.now = max($0.now, deadline) }
            return await Task.yield()
        }
        let id = dial.withLock { dial in
            dial.nextID += 1
            return dial.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(id: id, deadline: deadline, continuation: continuation)
                let answer: Result<Void, any Error>? = dial.withLock { dial in
                    if dial.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if deadline <= dial.now { return .success(()) }
                    dial.sleepers.append(sleeper)
                    return nil
                }
                if let answer { continuation.resume(with: answer) } else { tellSleepers() }
            }
        } onCancel: {
            let sleeper = dial.withLock { dial -> Sleeper? in
                guard let index = dial.sleepers.firstIndex(where: { $0.id == id }) else {
                    dial.cancelled.insert(id)
                    return nil
                }
                return dial.sleepers.remove(at: index)
            }
            // Published first, so that code resumed by this sleeper sees it gone.
            tellSleepers()
            sleeper?.continuation.resume(throwing: CancellationError())
        }
        dial.withLock { _ = $0.cancelled.remove(id) }
    }

    /// Advances the clock and wakes the tasks whose deadline has passed.
    public func advance(by duration: Duration) {
        let due = dial.withLock { dial in
            dial.now = dial.now.advanced(by: duration)
            let due = dial.sleepers.filter { $0.deadline <= dial.now }.sorted { $0.deadline < $1.deadline }
            dial.sleepers.removeAll { $0.deadline <= dial.now }
            return due
        }
        tellSleepers()
        for sleeper in due { sleeper.continuation.resume() }
    }

    private func tellSleepers() {
        // Computed inside `mutate`, so that an older count never replaces a newer one.
        sleeping.mutate { count in count = dial.withLock { $0.sleepers.count } }
    }
}
