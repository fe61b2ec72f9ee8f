import HTTPTypes
public import NIOCore

extension Dashboard {
    /// Returns channel handlers that answer tails on event loops, detect clients that disconnect, and refuse requests whose
    /// target names another host than the `Host` field.
    ///
    /// Pass them to `HTTP1Channel.Configuration(additionalChannelHandlers:)` of your own Hummingbird server. Its `idleTimeout`
    /// must be nil or longer than 14 s, because a held request looks idle to it. The handlers answer a tail only if the
    /// dashboard's access identifies the sender on the event loop; all others pass the router and its middleware.
    public func channelHandlers() -> [any RemovableChannelHandler] {
        [ParsedHeadCheck.Installer(), HeldPollHandler(self)]
    }

    func tail(_ head: HTTPRequest) -> HeldRequest? {
        guard head.method == .get, let path = head.path, let below = mount.below(path),
            head.headerFields[.transferEncoding] == nil, head.headerFields[.contentLength] == nil,
            let request = HeldRequest(below), check.problem(with: head) == nil
        else { return nil }
        guard case .poll(var poll) = request else { return request }
        poll.takesGzip = AcceptedCoding.isGzip(head.headerFields[.acceptEncoding])
        return .poll(poll)
    }
}

/// A request that an event loop can hold: the tail of a page's feed, or a long poll of a stream.
enum HeldRequest: Hashable, Sendable {
    case poll(PollRequest)
    case stream(StreamRequest)

    /// Parses the path and query below the mount path; returns nil for other requests.
    init?(_ below: some StringProtocol) {
        if below.hasPrefix("live/1/") {
            guard let request = PollRequest(path: below.dropFirst("live/1/".count)), case .tail = request.kind else {
                return nil
            }
            self = .poll(request)
        } else {
            // Only the form that clients use; the routes parse paths that need decoding.
            let prefix = "api/v1/streams/"
            guard below.hasPrefix(prefix), below.utf8.count <= 512,
                let mark = below.utf8.firstIndex(of: UInt8(ascii: "?")),
                let query = FormFields(below[below.utf8.index(after: mark)...])
            else { return nil }
            let path = below[..<mark].dropFirst(prefix.utf8.count)
            let isText = path.hasSuffix("/text")
            let feed = isText ? path.dropLast("/text".count) : path
            guard let name = StreamName(feed: String(feed), isText: isText),
                let request = try? StreamRequest(name, query: query), request.mode == .longPoll
            else { return nil }
            self = .stream(request)
        }
    }
}

enum HeldRequestHead {
    case parsed(HTTPRequest)
    case known(RequestHeadCache.Known)

    var request: HTTPRequest {
        switch self {
        case .parsed(let head): head
        case .known(let known): known.parsed
        }
    }

    /// Whether the connection closes after the answer; recognized heads never require it.
    var isLast: Bool {
        guard case .parsed(let head) = self else { return false }
        return head.isLast
    }
}

extension HTTPRequest {
    /// Whether nothing after this request is parsed: it asks for a tunnel or a protocol upgrade.
    ///
    /// NIO's parser stops after such a request, since a granted upgrade would change the protocol. Weir never grants one, so
    /// the connection must close after the answer; the client's next request would otherwise wait forever. Some clients offer
    /// an upgrade with their first request and continue without it, such as `curl --http2` and Java's `HttpClient`.
    var isLastRead: Bool {
        if method == .connect { return true }
        guard headerFields[.upgrade] != nil, let options = headerFields[.connection] else { return false }
        return options.split(separator: ",").contains { $0.lowercased().drop { $0 == " " }.hasPrefix("upgrade") }
    }

    /// Whether the connection closes after the answer; `ParsedHeadCheck` unifies the ways to ask for it.
    var isLast: Bool { isLastRead || headerFields[.connection] == "close" }

    /// The length of the body in bytes, or nil if it is unknown.
    var bodyLength: Int? {
        guard headerFields[.transferEncoding] == nil else { return nil }
        guard let text = headerFields[.contentLength] else { return 0 }
        return Int(text).flatMap { $0 < 0 ? nil : $0 }
    }
}
