import HTTPTypes
public import NIOCore

extension Dashboard {
    /// The channel handlers by which a server answers tails on its event loops and notices clients that leave, and by which it
    /// refuses a request whose target names another server than its `Host`.
    ///
    /// For `HTTP1Channel.Configuration(additionalChannelHandlers:)` of a Hummingbird server of one's own. Its `idleTimeout`
    /// must be nil or longer than 14 s, because a held request looks idle to it. They answer a tail themselves only where the
    /// access that the dashboard was mounted with says on the event loop who sends it: all others go through the router and
    /// its middleware.
    public func channelHandlers() -> [any RemovableChannelHandler] {
        [AbsoluteTarget.Installer(), HeldPollHandler(self)]
    }

    /// The tail that a request is, if it can be answered on the event loop without further questions.
    func tail(_ head: HTTPRequest) -> TailRequest? {
        guard head.method == .get, let path = head.path, let below = mount.below(path),
            head.headerFields[.transferEncoding] == nil, head.headerFields[.contentLength] == nil,
            let request = TailRequest(below), check.problem(with: head) == nil
        else { return nil }
        guard case .poll(var poll) = request else { return request }
        poll.takesGzip = AcceptedCoding.isGzip(head.headerFields[.acceptEncoding])
        return .poll(poll)
    }
}

/// A request that may be held on an event loop: the tail of a page's feed, or a long poll of a stream.
enum TailRequest: Hashable, Sendable {
    case poll(PollRequest)
    case stream(StreamRequest)

    /// Reads the path and query below the mount path; nil for anything else.
    init?(_ below: some StringProtocol) {
        if below.hasPrefix("live/1/") {
            guard let request = PollRequest(path: below.dropFirst("live/1/".count)), case .tail = request.kind else {
                return nil
            }
            self = .poll(request)
        } else {
            // Only as clients write it: whatever needs decoding is left to the routes.
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

/// The head of a tail: as it was parsed, or as it would have been.
enum TailHead {
    case parsed(HTTPRequest)
    case known(KnownHeads.Known)

    /// The request.
    var request: HTTPRequest {
        switch self {
        case .parsed(let head): head
        case .known(let known): known.parsed
        }
    }

    /// Whether the connection ends with the answer, whatever that is; what is known never does.
    var isLast: Bool {
        guard case .parsed(let head) = self else { return false }
        return head.isLastRead || head.headerFields[.connection]?.lowercased() == "close"
    }
}
