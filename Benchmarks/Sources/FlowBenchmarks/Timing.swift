/// The best of five, in nanoseconds for each repetition.
func nanoseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
    var best = Duration.seconds(1_000)
    for _ in 0..<5 { best = min(best, ContinuousClock().measure { body(count) }) }
    return best / .nanoseconds(1) / Double(count)
}

/// The best of three, in nanoseconds for each repetition.
func nanoseconds(_ count: Int, _ body: (Int) async -> Void) async -> Double {
    var best = Duration.seconds(1_000)
    for _ in 0..<3 {
        let clock = ContinuousClock()
        let start = clock.now
        await body(count)
        best = min(best, clock.now - start)
    }
    return best / .nanoseconds(1) / Double(count)
}
