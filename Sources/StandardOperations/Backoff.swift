/// How long to wait before trying again: twice as long each time, up to a maximum, with jitter.
///
/// Jitter keeps many that failed together from returning together; half of the wait is certain, half is chance.
public struct Backoff: Sendable, Hashable {
    /// The longest wait after the first failure.
    public let base: Duration
    /// The longest wait of all.
    public let maximum: Duration

    /// Makes a backoff.
    public init(base: Duration = .milliseconds(500), maximum: Duration = .seconds(30)) {
        self.base = base
        self.maximum = max(base, maximum)
    }

    /// The wait after so many failures in a row, from 1; `random` is from 0 up to but not 1.
    public func delay(afterFailures failures: Int, random: Double) -> Duration {
        let doublings = min(max(failures - 1, 0), 30)
        let full = min(base * (1 << doublings), maximum)
        return full * (0.5 + 0.5 * random)
    }
}
