import WeirFlows

/// A clock for the steps of a run, which knows what sleeps on it.
final class GraphClock: Clock, Sendable {
    private let clock = VirtualClock()
    private let sleeps = Locked<(next: Int, byID: [Int: (duration: Duration, deadline: VirtualClock.Instant)])>(
        (0, [:]))
    private let news: @Sendable () -> Void
    /// Longer sleeps are limits that a test never reaches.
    static let longest = Duration.seconds(10_000 * 86_400)

    init(news: @escaping @Sendable () -> Void) { self.news = news }

    var now: VirtualClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    /// The durations of the sleeps whose deadline is in the future.
    var sleeping: [Duration] { sleeps.withLock { $0.byID.values.filter { $0.deadline > now }.map(\.duration) } }

    /// The next deadline.
    var next: VirtualClock.Instant? {
        sleeps.withLock { $0.byID.values.map(\.deadline).filter { $0 > now }.min() }
    }

    func advance(to instant: VirtualClock.Instant) {
        clock.advance(by: now.duration(to: instant))
        news()
    }

    func sleep(until deadline: VirtualClock.Instant, tolerance: Duration?) async throws {
        let duration = now.duration(to: deadline)
        guard duration > .zero, duration < Self.longest else {
            return try await clock.sleep(until: deadline, tolerance: tolerance)
        }
        let id = sleeps.withLock { sleeps in
            sleeps.next += 1
            sleeps.byID[sleeps.next] = (duration, deadline)
            return sleeps.next
        }
        news()
        defer { remove(id) }
        try await withTaskCancellationHandler {
            try await clock.sleep(until: deadline, tolerance: tolerance)
        } onCancel: {
            // At once, so that a cancelled sleep is not taken for the one that follows it.
            remove(id)
        }
    }

    private func remove(_ id: Int) {
        sleeps.withLock { _ = $0.byID.removeValue(forKey: id) }
        news()
    }
}
