import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Watches over one connection: ends it when its client keeps it waiting, when an answer says so, and when the client
/// sends something that is not HTTP, which it answers in words.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    private let registry: ConnectionRegistry
    /// Requests whose answers are not written wholly.
    private var unanswered = 0
    /// Whether a request has begun that is not read wholly.
    private var isReadingRequest = false
    /// Whether somebody here waits for more to be read.
    private var isReadWanted = false
    private var isClosing = false
    private var isDiscarding = false
    private var lastProgress = NIODeadline.now()
    private var check: RepeatedTask?

    init(limits: ConnectionLimits, registry: ConnectionRegistry) {
        self.limits = limits
        self.registry = registry
    }

    func handlerAdded(context: ChannelHandlerContext) {
        registry.add(context.channel)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        check = context.eventLoop.scheduleRepeatedTask(initialDelay: limits.interval, delay: limits.interval) { _ in
            let (handler, context) = bound.value
            handler.checkProgress(context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        isReadWanted = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDiscarding else { return }
        lastProgress = .now()
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isReadingRequest = true
        case .body: break
        case .end: isReadingRequest = false
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReadWanted = false
        if isDiscarding { context.read() } else { context.fireChannelReadComplete() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent, isDiscarding || unanswered == 0 {
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, unanswered == 0, !isDiscarding else {
            context.fireErrorCaught(error)
            return
        }
        answerMalformed(error, context)
    }

    // MARK: Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if head.headerFields[.cacheControl] == nil { head.headerFields[.cacheControl] = "no-store" }
            head.headerFields[.contentTypeOptions] = "nosniff"
            isClosing = isClosing || head.headerFields[.connection]?.lowercased() == "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            unanswered = max(0, unanswered - 1)
            lastProgress = .now()
            guard isClosing, unanswered == 0 else {
                context.write(data, promise: promise)
                return
            }
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(data, promise: written)
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            written.futureResult.whenComplete { _ in
                let (handler, context) = bound.value
                handler.closeAfterAnswer(context)
            }
        }
    }

    /// Closing while a client still sends would reset the connection and take the answer from it.
    private func closeAfterAnswer(_ context: ChannelHandlerContext) {
        guard isReadingRequest, context.channel.isActive else {
            context.close(promise: nil)
            return
        }
        isDiscarding = true
        context.close(mode: .output, promise: nil)
        context.read()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: limits.linger) { bound.value.close(promise: nil) }
    }

    // MARK: Time

    private func checkProgress(_ context: ChannelHandlerContext) {
        let waited = NIODeadline.now() - lastProgress
        let isLate =
            if unanswered == 0 {
                waited >= limits.head
            } else {
                isReadingRequest && isReadWanted && waited >= limits.body
            }
        if isLate { context.close(promise: nil) }
    }

    private func answerMalformed(_ error: any Error, _ context: ChannelHandlerContext) {
        let isTooLong = (error as? HTTPParserError) == .headerOverflow
        let detail =
            isTooLong
            ? "The header of the request is longer than this server takes. Send fewer or shorter fields, or a shorter URL."
            : "What arrived is not a request of HTTP/1.1."
        let kind = isTooLong ? "header-too-large" : "malformed-request"
        let status: HTTPResponse.Status = isTooLong ? .requestHeaderFieldsTooLarge : .badRequest
        let title = isTooLong ? "Header too large" : "Malformed request"
        var body = ByteBuffer()
        body.writeString(#"{"type":"urn:weir:problem:\#(kind)","title":"\#(title)","status":\#(status.code),"detail":"#)
        body.writeJSON(detail)
        body.writeString("}\n")
        let fields: HTTPFields = [
            .contentType: "application/problem+json", .contentLength: String(body.readableBytes), .connection: "close",
        ]
        isReadingRequest = true
        write(context: context, data: wrapOutboundOut(.head(.init(status: status, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
        registry.remove(context.channel)
    }
}
