/// How long to wait before another attempt: twice as long each time, up to a maximum, with jitter.
///
/// Jitter prevents many clients that failed together from returning together; half of the wait is fixed, half is
/// random.
package struct Backoff: Sendable, Hashable {
    /// The longest wait after the first failure.
    package let base: Duration
    /// The longest wait of all.
    package let maximum: Duration

    /// Creates a backoff.
    package init(base: Duration = .milliseconds(500), maximum: Duration = .seconds(30)) {
        self.base = base
        self.maximum = max(base, maximum)
    }

    /// The wait after a number of consecutive failures, from 1; `random` is in 0..<1.
    package func delay(afterFailures failures: Int, random: Double) -> Duration {
        let doublings = min(max(failures - 1, 0), 30)
        let full = min(base * (1 << doublings), maximum)
        return full * (0.5 + 0.5 * random)
    }
}
