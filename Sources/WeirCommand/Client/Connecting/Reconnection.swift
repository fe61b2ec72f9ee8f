/// Repeats a request after the loss of a connection, at increasing intervals, for ten minutes.
struct Reconnection: Sendable {
    static let patience = Duration.seconds(600)

    private let address: ServerAddress
    private let clock: any Clock<Duration>
    private let complain: @Sendable (String) -> Void
    private var backoff = Backoff()
    private var generator = SystemRandomNumberGenerator()
    /// Whether a request has succeeded.
    private(set) var hasBegun = false

    /// `complain` receives a sentence when the connection is lost, and when it is restored.
    init(to address: ServerAddress, clock: any Clock<Duration>, complain: @escaping @Sendable (String) -> Void) {
        self.address = address
        self.clock = clock
        self.complain = complain
    }

    /// The next wait before a repetition, after the loss of the connection that `lost` measures the time of.
    mutating func pause(after error: ClientError, _ lost: inout (@Sendable () -> Duration)?) async throws(ClientError) {
        let elapsed = lost ?? clock.stopwatch()
        guard error.isTemporary, hasBegun, elapsed() < Self.patience else { throw error }
        if lost == nil { complain("\(error.cause) Trying again for ten minutes.") }
        lost = elapsed
        let pause = backoff.next(asked: error.retryAfter, using: &generator)
        do { try await clock.sleep(for: pause) } catch { throw ClientError(transport: error, to: address) }
    }

    mutating func succeeded(afterLoss: Bool) {
        if afterLoss { complain("Connected again.") }
        backoff.reset()
        hasBegun = true
    }
}

extension Clock where Duration == Swift.Duration {
    /// Starts a measurement; the closure returns the elapsed time.
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let beginning = now
        return { beginning.duration(to: now) }
    }
}
