public import Foundation

/// What an operation takes from the world besides its input: time, chance and the resolving of names.
public struct OperationEnvironment: Sendable {
    /// What waits and timeouts go by.
    public let clock: any Clock<Duration>
    /// What moments in states are told by.
    public let now: @Sendable () -> Date
    /// A number from 0 up to but not 1, for jitter.
    public let random: @Sendable () -> Double
    /// What finds the addresses of a host.
    public let resolver: any NameResolver

    /// Makes an environment; by default that of this machine.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        resolver: any NameResolver = SystemNameResolver()
    ) {
        self.clock = clock
        self.now = now
        self.random = random
        self.resolver = resolver
    }

    /// The moment as states tell it: ISO 8601 in UTC with milliseconds.
    func moment() -> String {
        now().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Starts counting; the closure gives the milliseconds since.
    func stopwatch() -> @Sendable () -> Int64 { clock.stopwatch() }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func stopwatch() -> @Sendable () -> Int64 {
        let beginning = now
        return { beginning.duration(to: now).milliseconds }
    }
}

extension Duration {
    /// The duration in whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
