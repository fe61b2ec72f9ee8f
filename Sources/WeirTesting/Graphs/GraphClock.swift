import WeirFlows

/// A clock for the steps of a run, which knows what sleeps on it.
final class GraphClock: Clock, Sendable {
    private let clock = VirtualClock()
    private let deadlines = Locked<(next: Int, byID: [Int: VirtualClock.Instant])>((0, [:]))
    private let news: @Sendable () -> Void
    /// Longer sleeps are limits that a test never reaches.
    static let longest = Duration.seconds(10_000 * 86_400)

    init(news: @escaping @Sendable () -> Void) { self.news = news }

    var now: VirtualClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    /// The number of sleeps whose deadline is in the future.
    var sleepers: Int { deadlines.withLock { $0.byID.values.count { $0 > now } } }

    /// The next deadline.
    var next: VirtualClock.Instant? { deadlines.withLock { $0.byID.values.filter { $0 > now }.min() } }

    func advance(to instant: VirtualClock.Instant) {
        clock.advance(by: now.duration(to: instant))
        news()
    }

    func sleep(until deadline: VirtualClock.Instant, tolerance: Duration?) async throws {
        guard deadline > now, now.duration(to: deadline) < Self.longest else {
            return try await clock.sleep(until: deadline, tolerance: tolerance)
        }
        let id = deadlines.withLock { deadlines in
            deadlines.next += 1
            deadlines.byID[deadlines.next] = deadline
            return deadlines.next
        }
        news()
        defer {
            deadlines.withLock { _ = $0.byID.removeValue(forKey: id) }
            news()
        }
        try await clock.sleep(until: deadline, tolerance: tolerance)
    }
}
