public import Flows

/// A clock that stands still until a test moves it.
///
/// Whoever sleeps on it wakes when the clock is moved to its moment or beyond, in the order of the moments. Nothing in
/// real time passes.
public final class VirtualClock: Clock, Sendable {
    /// A moment: the time since the clock was made.
    public struct Instant: InstantProtocol, Sendable {
        /// The time since the clock was made.
        public let offset: Duration

        /// The moment so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The time from here to there.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Earlier comes first.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
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

    /// Makes a clock at zero.
    public init() {}

    /// The moment it shows.
    public var now: Instant { dial.withLock { $0.now } }

    /// The smallest step.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How many sleep on it, over time: wait for that before moving it.
    public var sleepers: ReadOnlyStateFlow<Int> { sleeping.asStateFlow() }

    /// Waits for somebody to move the clock there.
    ///
    /// Throws `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
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
            sleeper?.continuation.resume(throwing: CancellationError())
            tellSleepers()
        }
        dial.withLock { _ = $0.cancelled.remove(id) }
    }

    /// Moves the clock on, and wakes who is due.
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
        sleeping.update { _ in dial.withLock { $0.sleepers.count } }
    }
}
