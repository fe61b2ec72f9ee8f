package import Foundation

/// The external dependencies of operations: time, randomness, name resolution and the outgoing policy.
package struct OperationEnvironment: Sendable {
    /// The clock for delays and timeouts.
    package let clock: any Clock<Duration>
    /// The clock for times in states.
    let now: @Sendable () -> Date
    /// Returns a number in 0..<1, for jitter.
    package let random: @Sendable () -> Double
    package let resolver: any NameResolver
    let outgoing: OutgoingPolicy

    package init(
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        resolver: any NameResolver = SystemNameResolver(),
        outgoing: OutgoingPolicy = OutgoingPolicy()
    ) {
        self.clock = clock
        self.now = now
        self.random = random
        self.resolver = resolver
        self.outgoing = outgoing
    }

    /// The current time as recorded in states: ISO 8601 in UTC with milliseconds.
    func moment() -> String {
        now().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Starts a measurement; the closure returns the elapsed milliseconds.
    package func stopwatch() -> @Sendable () -> Int64 { clock.stopwatch() }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func stopwatch() -> @Sendable () -> Int64 {
        let beginning = now
        return { beginning.duration(to: now).milliseconds }
    }
}

extension Duration {
    /// The duration in whole milliseconds, clamped on overflow.
    var milliseconds: Int64 {
        let (seconds, isOver) = components.seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isAlsoOver) = seconds.addingReportingOverflow(components.attoseconds / 1_000_000_000_000_000)
        return isOver || isAlsoOver ? (components.seconds < 0 ? .min : .max) : sum
    }
}

package struct Attempt: Codable, Hashable, Sendable {
    /// Counted from 1.
    let number: Int
    /// The maximum number of attempts.
    let of: Int

    init(_ number: Int, of count: Int) {
        self.number = number
        self.of = count
    }
}

/// An exponential backoff with jitter.
///
/// Half of each delay is fixed, half is random, so that clients that failed together do not retry together.
package struct Backoff: Sendable, Hashable {
    /// The maximum delay after the first failure.
    let base: Duration
    /// The overall maximum delay.
    let maximum: Duration

    package init(base: Duration = .milliseconds(500), maximum: Duration = .seconds(30)) {
        self.base = base
        self.maximum = max(base, maximum)
    }

    /// The delay after a number of consecutive failures, from 1; `random` is in 0..<1.
    package func delay(afterFailures failures: Int, random: Double) -> Duration {
        let doublings = min(max(failures - 1, 0), 30)
        let full = min(base * (1 << doublings), maximum)
        return full * (0.5 + 0.5 * random)
    }
}
