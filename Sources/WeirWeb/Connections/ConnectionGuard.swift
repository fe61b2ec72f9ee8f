import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Watches over one connection: ends it when its client keeps it waiting, when an answer says so, and when the client
/// sends something that is not HTTP, which it answers in words.
///
/// It puts a `ReadThrottle` between itself and the socket, and what parses and encodes HTTP between the two, as soon as that is needed:
/// a connection that only ever sends known polls goes without.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler, RegisteredConnection {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How much of a body is read and dropped behind an answer, so that the connection can continue.
    private static let bodyWorthReading = 65_536

    /// How much is dropped behind an answer as fast as it comes.
    private static let mostDiscarded = 1_048_576

    var machine: ConnectionMachine
    let limits: ConnectionLimits
    private let registry: ConnectionRegistry
    /// Whether what is written in front of this handler's throttle is what the client reads.
    private let isUnencrypted: Bool
    var context: ChannelHandlerContext?
    var throttle: ReadThrottle?
    let heads: KnownHeads?
    /// What is still to be installed before anything can be parsed or encoded.
    var codec: (any HTTPCodecInstaller)?
    /// What answers polls.
    var polls: HeldPollHandler?
    /// The poll that was just parsed.
    var parsedPoll: (request: PollRequest, head: HTTPRequest)?
    /// Whether the connection ends with the answer that is, or will be, written.
    var isClosing = false
    /// Whether an answer was written without a request that was read, so that the client may still send one.
    private var isUnasked = false
    /// Whether nothing is read any more behind a request, though its client may have sent it.
    private var isDeaf = false
    var isDiscarding = false
    var isBodyStopped = false

    /// Watches over a connection; `isUnencrypted` allows answers that are encoded already, and polls that need not be parsed.
    ///
    /// `codec` is installed behind the throttle when it is first needed; nil if it is there.
    init(
        limits: ConnectionLimits, registry: ConnectionRegistry, isUnencrypted: Bool = false, heads: KnownHeads? = nil,
        codec: (any HTTPCodecInstaller)? = nil
    ) {
        self.isUnencrypted = isUnencrypted
        self.heads = heads
        self.codec = codec
        self.limits = limits
        self.registry = registry
        machine = ConnectionMachine(limits: limits, now: .now())
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        machine = ConnectionMachine(limits: limits, now: context.eventLoop.now)
        let throttle = ReadThrottle(self)
        let unsent = ChannelOptions.Types.WriteBufferWaterMark(
            low: limits.unsentBytes / 2, high: max(1, limits.unsentBytes))
        do {
            try context.pipeline.syncOperations.addHandler(throttle, position: .first)
        } catch {
            context.close(promise: nil)
            return
        }
        try? context.channel.syncOptions?.setOption(.writeBufferWaterMark, value: unsent)
        // One read at a time is what may wait in the throttle.
        try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        self.throttle = throttle
        registry.add(context.channel, self, checkedEvery: limits.interval)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if registry.isRefused(context.channel) { answer(.tooManyConnections) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDiscarding else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            machine.requestBegan(bodyLength: head.bodyLength, now: context.eventLoop.now)
            isDeaf = isDeaf || head.isLastRead
        case .body(let piece): machine.bodyArrived(piece.readableBytes)
        case .end: machine.requestEnded(now: context.eventLoop.now)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard isDiscarding else {
            context.fireChannelReadComplete()
            return
        }
        // Dropping what somebody sends without end would cost as much as taking it.
        if throttle.map({ $0.discarded < Self.mostDiscarded }) ?? false {
            context.read()
        } else {
            schedule(in: .milliseconds(100)) { $0.context?.read() }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            if isDiscarding || machine.unanswered == 0 { context.close(promise: nil) }
            isClosing = true
        case ConnectionEvent.makeRoom:
            makeRoom(context)
            return
        case ConnectionEvent.stopBody:
            stopBody(.revoked)
            return
        case is ChannelShouldQuiesceEvent:
            isClosing = true
            if isBare, machine.unanswered == 0 { context.close(promise: nil) }
            schedule(in: limits.lastBytes) { $0.stopBody(.shutdown) }
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Behind what is no request nothing is read.
        isDeaf = isDeaf || error is HTTPParserError
        guard let error = error as? HTTPParserError, machine.unanswered == 0, !isDiscarding else {
            if isBare { context.close(promise: nil) }
            context.fireErrorCaught(error)
            return
        }
        answer(error == .headerOverflow ? .headerTooLarge : .malformed)
    }

    // MARK: Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard installCodec() else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if head.headerFields[.cacheControl] == nil { head.headerFields[.cacheControl] = "no-store" }
            head.headerFields[.contentTypeOptions] = "nosniff"
            isClosing = isClosing || isBodyTooLong || head.headerFields[.connection]?.lowercased() == "close"
            if isClosing { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            machine.answerEnded(now: context.eventLoop.now)
            guard isClosing, machine.unanswered == 0 else {
                context.write(data, promise: promise)
                throttle?.resume()
                return
            }
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(data, promise: written)
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            written.futureResult.whenComplete { _ in bound.value.closeAfterAnswer() }
        }
    }

    /// Writes the answer to the one request that is open as it is, and flushes it.
    ///
    /// False, and nothing is written, where something must be added or the connection is encrypted.
    func answer(_ message: @autoclosure () -> ByteBuffer) -> Bool {
        guard isUnencrypted, let context, let throttle, !isClosing, !isDiscarding, machine.unanswered == 1,
            !machine.isReadingRequest
        else { return false }
        machine.answerEnded(now: context.eventLoop.now)
        throttle.send(message())
        throttle.resume()
        return true
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let said = event as? ConnectionEvent, heard(said) else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        promise?.succeed()
    }

    /// Takes in what whoever answers polls says; false for what is not for here.
    @discardableResult
    func heard(_ event: ConnectionEvent) -> Bool {
        switch event {
        case .holdBegan: machine.holdBegan(now: context?.eventLoop.now ?? .now())
        case .holdEnded: machine.holdEnded()
        case .makeRoom, .stopBody: return false
        }
        return true
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Whoever closes right behind an answer does not know that it is not sent yet, or that the client still sends.
        guard mode == .all, isDiscarding || isClosing, context.channel.isActive, let throttle else {
            context.close(mode: mode, promise: promise)
            return
        }
        context.channel.closeFuture.cascade(to: promise)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        throttle.whenSent { bound.value.closeAfterAnswer() }
    }

    /// Ends the connection, whatever there is still to send or to read.
    func closeNow() { context?.close(promise: nil) }

    /// Whether what is left of the body of the request that is being answered is not worth reading.
    private var isBodyTooLong: Bool {
        guard machine.unanswered == 1, machine.isReadingRequest else { return false }
        return machine.bodyLeft.map { $0 > Self.bodyWorthReading } ?? true
    }

    private var mayStillSend: Bool {
        machine.isReadingRequest || isUnasked || isDeaf || (isUnencrypted && throttle?.hasEnded == false)
    }

    /// Closing while a client still sends would reset the connection and take the answer from it.
    private func closeAfterAnswer() {
        guard let context, !isDiscarding else { return }
        guard mayStillSend, context.channel.isActive else {
            context.close(promise: nil)
            return
        }
        isDiscarding = true
        throttle?.discard()
        context.close(mode: .output, promise: nil)
        context.read()
        schedule(in: limits.linger) { $0.closeNow() }
    }

    /// Breaks the connection off: what the client has not taken would otherwise stay in the kernel for minutes.
    func reset(_ context: ChannelHandlerContext) {
        (context.channel as? any SocketOptionProvider)?
            .setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        context.close(promise: nil)
    }

    func schedule(in time: TimeAmount, _ body: @escaping @Sendable (ConnectionGuard) -> Void) {
        guard let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: time) { body(bound.value) }
    }

    /// Answers without a request that could be read, and ends the connection.
    func answer(_ answer: ConnectionAnswer) {
        guard let context, !isUnasked, !isDiscarding else { return }
        isUnasked = true
        let (head, body) = answer.parts
        write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        throttle = nil
        polls = nil
        self.context = nil
        registry.remove(context.channel)
    }
}
