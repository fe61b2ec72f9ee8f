import HTTPTypes
public import NIOCore

extension Dashboard {
    /// The channel handlers by which a server answers tails on its event loops and notices clients that leave.
    ///
    /// For `HTTP1Channel.Configuration(additionalChannelHandlers:)` of a Hummingbird server of one's own. Its `idleTimeout`
    /// must be nil or longer than 14 s, because a held request looks idle to it.
    public func channelHandlers() -> [any RemovableChannelHandler] { [HeldPollHandler(self)] }

    /// The tail that a request is, if it can be answered on the event loop without further questions.
    func tail(_ head: HTTPRequest) -> PollRequest? {
        guard head.method == .get, let path = head.path, let below = mount.below(path), below.hasPrefix("live/1/"),
            let request = PollRequest(path: below.dropFirst("live/1/".count)), case .tail = request.kind,
            head.headerFields[.transferEncoding] == nil, head.headerFields[.contentLength] == nil,
            hosts.allows(head.authority)
        else { return nil }
        return request
    }
}
