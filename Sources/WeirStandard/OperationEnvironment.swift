package import Foundation

/// What an operation takes from the world besides its input: time, chance, the resolving of names, and where requests may go.
package struct OperationEnvironment: Sendable {
    /// What waits and timeouts go by.
    package let clock: any Clock<Duration>
    /// The clock for times in states.
    package let now: @Sendable () -> Date
    /// A number from 0 up to but not 1, for jitter.
    package let random: @Sendable () -> Double
    /// What finds the addresses of a host.
    package let resolver: any NameResolver
    /// Where requests may go.
    package let outgoing: OutgoingPolicy

    /// Creates an environment; by default that of this machine.
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

    /// The current time in the form of states: ISO 8601 in UTC with milliseconds.
    func moment() -> String {
        now().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Starts to measure time; the closure returns the milliseconds since.
    package func stopwatch() -> @Sendable () -> Int64 { clock.stopwatch() }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func stopwatch() -> @Sendable () -> Int64 {
        let beginning = now
        return { beginning.duration(to: now).milliseconds }
    }
}

extension Duration {
    /// The duration in whole milliseconds.
    ///
    /// The longest there is where they do not fit.
    var milliseconds: Int64 {
        let (seconds, isOver) = components.seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isAlsoOver) = seconds.addingReportingOverflow(components.attoseconds / 1_000_000_000_000_000)
        return isOver || isAlsoOver ? (components.seconds < 0 ? .min : .max) : sum
    }
}
