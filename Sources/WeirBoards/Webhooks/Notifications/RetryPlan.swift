/// When a message that did not arrive is sent again.
package enum RetryPlan {
    /// The waits before the second attempt and those that follow, in milliseconds.
    package static let waits: [Int64] = [5_000, 30_000, 120_000, 600_000, 1_800_000]

    /// How many times a message is sent at most.
    package static var attempts: Int { waits.count + 1 }

    /// How long to wait after so many attempts; nil when there is none to follow.
    ///
    /// A receiver that says when to come back is heeded, up to an hour.
    package static func wait(afterAttempts attempts: Int, asked: Int64? = nil) -> Int64? {
        guard attempts >= 1, let wait = waits.dropFirst(max(0, attempts - 1)).first else { return nil }
        return max(wait, min(asked ?? 0, 3_600_000))
    }
}
