import HTTPTypes
import NIOCore

extension ConnectionGuard {
    /// The party the connection waits for; nil after its end.
    func activity() -> ConnectionMachine.Activity? {
        guard let context else { return nil }
        observeUnsent(context)
        if isDiscarding { return .leaving }
        let activity = machine.activity(now: context.eventLoop.now)
        if case .idle = activity, isClosing { return .leaving }
        return activity
    }

    func checkProgress() {
        guard let context, !isDiscarding else { return }
        observeUnsent(context)
        switch machine.decision(now: context.eventLoop.now) {
        case .fine: break
        case .idle: context.close(promise: nil)
        case .slowHead: answer(.slowHead)
        case .slowBody: stopBody(.tooSlow)
        case .stalled: reset(context)
        }
    }

    private func observeUnsent(_ context: ChannelHandlerContext) {
        guard let unsent = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes) else { return }
        machine.observed(unsent: unsent, now: context.eventLoop.now)
    }

    /// Stops reading a body that its client is still sending: the reader receives the reason as an error, and answers.
    func stopBody(_ reason: BodyStop) {
        guard let context, machine.isReadingRequest, !isBodyStopped, !isDiscarding else { return }
        isBodyStopped = true
        guard machine.unanswered > 0, !machine.isHolding else {
            context.close(promise: nil)
            return
        }
        isClosing = true
        context.fireErrorCaught(reason)
        schedule(in: limits.linger) { watch in
            if !watch.isDiscarding { watch.closeNow() }
        }
    }

    func makeRoom(_ context: ChannelHandlerContext) {
        observeUnsent(context)
        switch machine.activity(now: context.eventLoop.now) {
        case .idle: context.close(promise: nil)
        case .slow: reset(context)
        case .held: context.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
        case .busy: isClosing = true
        case .leaving: break
        }
    }
}

/// A problem document that the connection itself sends when no request could be parsed.
struct ConnectionAnswer {
    private let kind: String
    private let status: HTTPResponse.Status
    private let title: String
    private let detail: String
    private var retryAfter: Int?

    static let malformed = ConnectionAnswer(
        kind: "malformed-request", status: .badRequest, title: "Malformed request",
        detail: "What arrived is not a request of HTTP/1.1.")

    static let headerTooLarge = ConnectionAnswer(
        kind: "header-too-large", status: .requestHeaderFieldsTooLarge, title: "Header too large",
        detail:
            "The header of the request is longer than this server accepts. Send fewer or shorter fields, or a shorter URL."
    )

    static let slowHead = ConnectionAnswer(
        kind: "slow-request", status: .requestTimeout, title: "Request timeout",
        detail: "The header of the request did not arrive in time. Send it again.")

    static let tooManyConnections = ConnectionAnswer(
        kind: "too-many-connections", status: .tooManyRequests, title: "Too many connections",
        detail: "Your address has as many open connections as allowed. Close some, or try again later.",
        retryAfter: 5)

    var parts: (head: HTTPResponse, body: ByteBuffer) {
        var body = ByteBuffer()
        body.writeString(#"{"type":"urn:weir:problem:\#(kind)","title":"\#(title)","status":\#(status.code),"detail":"#)
        body.writeJSON(detail)
        body.writeString("}\n")
        var fields: HTTPFields = [
            .contentType: "application/problem+json", .contentLength: String(body.readableBytes), .connection: "close",
        ]
        fields[.retryAfter] = retryAfter.map(String.init)
        return (HTTPResponse(status: status, headerFields: fields), body)
    }
}
