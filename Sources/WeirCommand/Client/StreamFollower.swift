import NIOHTTP1
import WeirStates

/// Reads a stream to its end, or to its current end; delivers each message once and in order, across reconnections.
struct StreamFollower: Sendable {
    private let client: ServerClient
    private let stream: String
    private let isLive: Bool
    private var place = StreamPlace()
    private var connection: Reconnection

    /// Creates a follower of a stream such as `run-01j…`.
    ///
    /// If `isLive`, it waits for further messages until the stream is closed. `complain` receives a sentence when the
    /// connection is lost, and when it is restored.
    init(
        _ client: ServerClient, stream: String, isLive: Bool, clock: any Clock<Duration> = ContinuousClock(),
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.stream = stream
        self.isLive = isLive
        connection = Reconnection(to: client.address, clock: clock, complain: complain)
    }

    /// Returns the next messages, possibly none, or nil at the end.
    ///
    /// Suspends while a live stream has no new messages. Retries after the loss of a connection, but not the first request.
    /// - Throws: `ClientError` if the server rejects the request, is unreachable at first, or stays unreachable.
    mutating func next() async throws(ClientError) -> [JSONValue]? {
        if connection.hasBegun, place.isClosed || (!isLive && place.isUpToDate) { return nil }
        while true {
            do throws(ClientError) {
                let messages = try await read()
                connection.succeeded()
                return messages
            } catch {
                try await connection.pause(after: error)
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

/// The position in a stream, and the next request (sections 5.6 and 5.7 of the Durable Streams protocol).
///
/// Pure. The position advances only with a complete response, so a retry neither skips nor repeats messages.
struct StreamPlace: Sendable, Hashable {
    /// The offset of the next message; `-1` is the beginning.
    private(set) var offset = "-1"
    /// The cursor to echo to the server, which gives each wait a distinct URL for caches.
    private(set) var cursor: String?
    /// Whether all messages that existed at the last response are read.
    private(set) var isUpToDate = false
    /// Whether the stream is closed and fully read.
    private(set) var isClosed = false

    init() {}

    func query(live: Bool) -> [(name: String, value: String)] {
        var fields = [(name: "offset", value: offset)]
        if live {
            fields.append((name: "live", value: "long-poll"))
            if let cursor { fields.append((name: "cursor", value: cursor)) }
        }
        return fields
    }

    mutating func advance(_ header: (String) -> String?) {
        if let next = header("Stream-Next-Offset") { offset = next }
        cursor = header("Stream-Cursor") ?? cursor
        isUpToDate = header("Stream-Up-To-Date") == "true"
        isClosed = header("Stream-Closed") == "true"
    }
}

/// Exponential backoff with jitter, at most ten seconds.
struct Backoff: Sendable {
    private static let first: Double = 0.25
    private static let longest: Double = 10
    private var ceiling = Self.first

    init() {}

    /// Returns the delay before the next attempt, and doubles its upper bound.
    ///
    /// `asked` is the delay in seconds that the server asks for: a lower bound, honored up to a minute.
    mutating func next(
        asked: Int64? = nil, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let wait = Double.random(in: ceiling / 2...ceiling, using: &generator)
        ceiling = min(ceiling * 2, Self.longest)
        return max(.seconds(wait), .seconds(min(max(asked ?? 0, 0), 60)))
    }

    mutating func reset() { ceiling = Self.first }
}
