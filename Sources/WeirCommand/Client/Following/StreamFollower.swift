import NIOHTTP1
package import WeirStates

/// Reads a stream to its end, or as far as it goes now: each message once and in order, whatever happens to the connection.
package struct StreamFollower: Sendable {
    /// For how long a server that has answered before is asked again while it does not.
    package static let patience = Duration.seconds(600)

    private let client: ServerClient
    private let stream: String
    private let isLive: Bool
    private let clock: any Clock<Duration>
    private let complain: @Sendable (String) -> Void
    private var place = StreamPlace()
    private var backoff = Backoff()
    private var generator = SystemRandomNumberGenerator()
    private var hasBegun = false

    /// Follows a stream.
    ///
    /// - Parameters:
    ///   - client: Asks the server.
    ///   - stream: Its name, such as `run-01j…`.
    ///   - isLive: Whether to wait for what comes later, until the stream is closed.
    ///   - clock: What the waits between attempts go by.
    ///   - complain: Gets a sentence when the connection is lost, and when it is back.
    package init(
        _ client: ServerClient, stream: String, isLive: Bool, clock: any Clock<Duration> = ContinuousClock(),
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.stream = stream
        self.isLive = isLive
        self.clock = clock
        self.complain = complain
    }

    /// The next messages, which may be none; nil at the end.
    ///
    /// Suspends while a live stream has no news. A connection that is lost is tried again; the first one is not.
    /// - Throws: `ClientError` where the server refuses, cannot be reached at first, or does not come back.
    package mutating func next() async throws(ClientError) -> [JSONValue]? {
        if hasBegun, place.isClosed || (!isLive && place.isUpToDate) { return nil }
        // What attempts take counts as well: a server that accepts and stays silent takes half a minute for each.
        var lost: (@Sendable () -> Duration)?
        while true {
            do throws(ClientError) {
                let messages = try await read()
                if lost != nil { complain("Connected again.") }
                backoff.reset()
                hasBegun = true
                return messages
            } catch {
                let elapsed = lost ?? clock.stopwatch()
                guard error.isTemporary, hasBegun, elapsed() < Self.patience else { throw error }
                if lost == nil { complain("\(error.cause) Trying again for ten minutes.") }
                lost = elapsed
                let pause = backoff.next(asked: error.retryAfter, using: &generator)
                do { try await clock.sleep(for: pause) } catch {
                    throw ClientError(transport: error, to: client.address)
                }
            }
        }
    }

    private mutating func read() async throws(ClientError) -> [JSONValue] {
        let answer = try await client.answer(.GET, ["streams", stream], query: place.query(live: isLive))
        if answer.status == 410 {
            throw ClientError(
                .missing,
                "The server has another history than before, or keeps this part of it no longer. Look at the run anew.")
        }
        guard answer.isSuccess else { throw ClientError(answer, from: client.address) }
        if answer.status == 204 {
            place.advance(answer.header)
            return []
        }
        guard let messages = answer.body?.array else {
            throw ClientError(.foreign, "What answers at \(client.address) is not a Weir server. Check the address.")
        }
        place.advance(answer.header)
        return messages
    }
}

extension Clock where Duration == Swift.Duration {
    /// Starts to measure time; the closure returns the time since.
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let beginning = now
        return { beginning.duration(to: now) }
    }
}
