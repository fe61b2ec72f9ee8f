import WeirBoards

/// Repeats a request after the loss of a connection, at increasing intervals, for ten minutes.
struct Reconnection: Sendable {
    static let patience = Duration.seconds(600)

    private let address: ServerAddress
    private let clock: any Clock<Duration>
    private let complain: @Sendable (String) -> Void
    private var backoff = Backoff()
    private var generator = SystemRandomNumberGenerator()
    /// Measures the time since the loss, with the duration of attempts: one to a server that accepts and stays silent takes
    /// half a minute.
    private var lost: (@Sendable () -> Duration)?
    /// Whether a request has succeeded.
    private(set) var hasBegun = false

    /// `complain` receives a sentence when the connection is lost, and when it is restored.
    init(to address: ServerAddress, clock: any Clock<Duration>, complain: @escaping @Sendable (String) -> Void) {
        self.address = address
        self.clock = clock
        self.complain = complain
    }

    /// Waits before the next repetition; throws the error if it is permanent, or the patience is exhausted.
    mutating func pause(after error: ClientError) async throws(ClientError) {
        let elapsed = lost ?? clock.stopwatch()
        guard error.isTemporary, hasBegun, elapsed() < Self.patience else { throw error }
        if lost == nil { complain("\(error.cause) Trying again for ten minutes.") }
        lost = elapsed
        let pause = backoff.next(asked: error.retryAfter, using: &generator)
        do { try await clock.sleep(for: pause) } catch { throw ClientError(transport: error, to: address) }
    }

    mutating func succeeded() {
        if lost != nil { complain("Connected again.") }
        lost = nil
        backoff.reset()
        hasBegun = true
    }
}
