import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOSSL

/// Installs the other handlers behind the codec of an encrypted connection: of an HTTP/1.1 connection or of one HTTP/2
/// stream.
///
/// An HTTP/1.1 connection gets the handlers of an unencrypted one. A stream gets the handler for held polls, whose number per
/// connection is limited so that streams remain for other requests.
final class SecureConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    struct Handlers {
        let http1: () -> [any RemovableChannelHandler]
        let stream: () -> [any RemovableChannelHandler]
    }

    /// The bytes per write: as many as a client receives on a stream before it updates its window.
    private static let piece = 16_384

    private let handlers: Handlers
    private let holds: StreamHolds
    private let limits: ConnectionLimits
    private var isStream = false
    private var isHolding = false
    private var isOpen = false
    private var isBodyStopped = false
    private var machine: ConnectionMachine
    private var check: RepeatedTask?
    private var lastWord: Scheduled<Void>?

    init(_ handlers: Handlers, holds: StreamHolds, limits: ConnectionLimits) {
        self.handlers = handlers
        self.holds = holds
        self.limits = limits
        machine = ConnectionMachine(limits: limits, now: .now())
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // The encryption of a stream is in the pipeline of its connection.
        isStream = (try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)) == nil
        do {
            try context.pipeline.syncOperations.addHandlers(
                isStream ? handlers.stream() : handlers.http1(), position: .after(self))
        } catch {
            context.close(promise: nil)
            return
        }
        guard isStream else { return }
        holds.opened(context.channel)
        isOpen = true
        machine = ConnectionMachine(limits: limits, now: context.eventLoop.now)
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

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isStream {
            let now = context.eventLoop.now
            switch unwrapInboundIn(data) {
            // The length of the body does not matter: no other request follows on a stream.
            case .head: machine.requestBegan(bodyLength: nil, now: now)
            case .body(let piece): machine.arrived(piece.readableBytes, isBlank: false, now: now)
            case .end: machine.requestEnded(now: now)
            }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isStream { machine.readEnded(now: context.eventLoop.now) }
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if isStream { machine.readBegan(now: context.eventLoop.now) }
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard isStream, case .stopBody? = event as? ConnectionEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        // The reader of the body gets the error and responds.
        if machine.isReadingRequest { context.fireErrorCaught(BodyStop.revoked) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            head.headerFields[.strictTransportSecurity] = "max-age=31536000"
            if isStream {
                // Connection-specific fields are forbidden in HTTP/2 (RFC 9113, section 8.2.2).
                head.headerFields[.connection] = nil
                head.headerFields[.transferEncoding] = nil
            }
            if head.headerFields[.cacheControl] == nil { head.headerFields[.cacheControl] = "no-store" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes) where isStream: write(bytes, context, promise)
        case .body: context.write(data, promise: promise)
        case .end:
            if isStream { machine.answerEnded(now: context.eventLoop.now) }
            context.write(data, promise: promise)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event as? ConnectionEvent {
        case .holdBegan where isStream:
            isHolding = true
            if !holds.begin(on: context.channel) {
                // Releases the hold at once; the client retries later. Deferred, because the hold is only just beginning.
                let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
                context.eventLoop.execute {
                    bound.value.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
                }
            }
            promise?.succeed()
        case .holdEnded where isStream:
            letGo(context)
            promise?.succeed()
        default: context.triggerUserOutboundEvent(event, promise: promise)
        }
    }

    /// Writes in pieces, so that progress is noticed even if the client receives little at a time.
    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        var rest = bytes
        repeat {
            let piece = rest.readSlice(length: min(rest.readableBytes, Self.piece)) ?? ByteBuffer()
            let sent = context.eventLoop.makePromise(of: Void.self)
            if rest.readableBytes == 0 { sent.futureResult.cascade(to: promise) }
            machine.wrote(piece.readableBytes, now: context.eventLoop.now)
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            let (eventLoop, length) = (context.eventLoop, piece.readableBytes)
            sent.futureResult.whenComplete { _ in
                let handler = bound.value
                handler.machine.observed(unsent: handler.machine.unsent - length, now: eventLoop.now)
            }
            context.write(wrapOutboundOut(.body(piece)), promise: sent)
        } while rest.readableBytes > 0
    }

    /// Closes a stream whose client does not read the response; stops a body that arrives too slowly with an error; its
    /// reader responds.
    private func checkProgress(_ context: ChannelHandlerContext) {
        switch machine.decision(now: context.eventLoop.now) {
        case .stalled: context.close(promise: nil)
        case .slowBody where !isBodyStopped: stopBody(context)
        default: break
        }
    }

    private func stopBody(_ context: ChannelHandlerContext) {
        isBodyStopped = true
        guard machine.unanswered > 0 else {
            context.close(promise: nil)
            return
        }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        lastWord = context.eventLoop.scheduleTask(in: limits.linger) { bound.value.close(promise: nil) }
        context.fireErrorCaught(BodyStop.tooSlow)
    }

    private func letGo(_ context: ChannelHandlerContext) {
        guard isHolding else { return }
        isHolding = false
        holds.end(on: context.channel)
    }

    private func end(_ context: ChannelHandlerContext) {
        letGo(context)
        if isOpen { holds.closed(context.channel) }
        isOpen = false
        lastWord?.cancel()
        lastWord = nil
        check?.cancel()
        check = nil
    }
}
