/// One of those who do a row's work.
struct Contender {
    let who: String
    /// What a repetition of the work costs, measured now.
    let cost: () async -> Double

    init(_ who: String, cost: @escaping () async -> Double) {
        self.who = who
        self.cost = cost
    }

    /// One who can do the work so many times on end.
    init(_ who: String, repeating work: @escaping (Int) -> Void) {
        self.init(who) { await nanoseconds { work($0) } }
    }
}

/// What a repetition costs, in nanoseconds: the best of three, each of about 30 ms, after finding out how many that are.
func nanoseconds(_ work: (Int) async -> Void) async -> Double {
    let clock = ContinuousClock()
    func time(_ count: Int) async -> Duration {
        let start = clock.now
        await work(count)
        return clock.now - start
    }
    var count = 1
    // Twice, as one time may be long for another reason.
    while min(await time(count), await time(count)) < .milliseconds(15) { count *= 2 }
    var best = Duration.seconds(1_000)
    for _ in 0..<3 { best = min(best, await time(count * 2)) }
    return best / .nanoseconds(1) / Double(count * 2)
}
