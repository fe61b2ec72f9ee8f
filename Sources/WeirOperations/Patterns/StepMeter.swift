#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Counts the steps of a match, over all places where it can begin, and ends it when they or the time are used up.
package struct StepMeter {
    /// Returns the time since some moment.
    package typealias Clock = @Sendable () -> Duration

    /// The time that this thread has had of a processor.
    ///
    /// Unlike wall-clock time, it does not pass while other threads have the processor: a busy machine makes no pattern slow.
    package static let processorTime: Clock = {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    private let limit: Int
    private let interval: Int
    private let time: Duration
    private let clock: Clock
    private var steps = 0
    private var began: Duration?

    init(steps: Int, interval: Int, time: Duration, clock: @escaping Clock) {
        limit = steps
        self.interval = interval
        self.time = time
        self.clock = clock
    }

    /// Counts a step; returns false when the steps or the time are used up.
    mutating func step() -> Bool {
        steps += 1
        guard steps % interval == 0 else { return steps <= limit }
        guard let began else {
            // Reading the clock takes as long as some twenty steps: a match of fewer steps than the interval does not.
            began = clock()
            return time > .zero
        }
        return steps <= limit && clock() - began < time
    }

    /// The time since the clock was first read.
    func finish() -> Duration { began.map { clock() - $0 } ?? .zero }
}
