import Foundation

/// Counts the steps of a match, over all start positions, and stops it at a limit of steps or time.
package struct StepMeter {
    /// Returns the time since a fixed moment.
    package typealias Clock = @Sendable () -> Duration

    /// The CPU time of the current thread.
    ///
    /// Unlike wall-clock time, it is not affected by other load on the machine.
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

    /// Counts a step; returns false once a limit is reached.
    mutating func step() -> Bool {
        steps += 1
        guard steps % interval == 0 else { return steps <= limit }
        guard let began else {
            // Reading the clock costs about twenty steps, so matches shorter than the interval never read it.
            began = clock()
            return time > .zero
        }
        return steps <= limit && clock() - began < time
    }

    func finish() -> Duration { began.map { clock() - $0 } ?? .zero }
}
