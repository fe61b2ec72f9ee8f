import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Closes a connection that exceeds its time limits, or whose answer requires it, and answers bytes that are not HTTP.
///
/// It installs a `ReadThrottle` between itself and the socket. The HTTP codec is installed between the two on first use: a
/// connection that only sends known polls has none.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler, RegisteredConnection {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The maximum number of body bytes to read and drop after an answer in order to keep the connection open.
    private static let bodyWorthReading = 65_536

    /// The number of bytes dropped at full speed after an answer; beyond it, reads are delayed.
    private static let mostDiscarded = 1_048_576

    var machine: ConnectionMachine
    let limits: ConnectionLimits
    private let registry: ConnectionRegistry
    /// Whether bytes written before this handler's throttle reach the client unencrypted.
    let isUnencrypted: Bool
    var context: ChannelHandlerContext?
    var throttle: ReadThrottle?
    let heads: RequestHeadCache?
    /// Installs the codec on first use; nil once it is installed.
    var codec: (any HTTPCodecInstaller)?
    var polls: HeldPollHandler?
    /// The poll parsed last, a candidate for `heads`.
    var parsedPoll: (request: PollRequest, head: HTTPRequest)?
    /// Whether the connection closes after the current or the next answer.
    var isClosing = false
    /// Whether an answer was written without a parsed request, so that the client may still send one.
    private var isUnasked = false
    /// Whether nothing after the current request is parsed, although the client may have sent more.
    private var isDeaf = false
    var isDiscarding = false
    var isBodyStopped = false

    /// Creates the guard of a connection.
    ///
    /// `isUnencrypted` permits pre-encoded answers and polls recognized without parsing. `codec` is installed behind the
    /// throttle on first use; nil if it is already installed.
    init(
        limits: ConnectionLimits, registry: ConnectionRegistry, isUnencrypted: Bool = false,
        heads: RequestHeadCache? = nil,
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
        // The throttle buffers at most one read.
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
        // Dropping unlimited input at full speed would cost as much as processing it.
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
        // Nothing is parsed after malformed input.
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

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let said = event as? ConnectionEvent, heard(said) else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        promise?.succeed()
    }

    /// Handles an event of the poll handler; returns false if the event is not for this handler.
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
        // The caller closes right after its answer, which may not be sent yet, and the client may still be sending.
        guard mode == .all, isDiscarding || isClosing, context.channel.isActive, let throttle else {
            context.close(mode: mode, promise: promise)
            return
        }
        context.channel.closeFuture.cascade(to: promise)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        throttle.whenSent { bound.value.closeAfterAnswer() }
    }

    func closeNow() { context?.close(promise: nil) }

    /// Whether the rest of the current request's body is too long to read and drop.
    private var isBodyTooLong: Bool {
        guard machine.unanswered == 1, machine.isReadingRequest else { return false }
        return machine.bodyLeft.map { $0 > Self.bodyWorthReading } ?? true
    }

    private var mayStillSend: Bool {
        machine.isReadingRequest || isUnasked || isDeaf || (isUnencrypted && throttle?.hasEnded == false)
    }

    /// Closes the output and drops further input: closing at once would reset the connection and lose the answer.
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

    /// Resets the connection: unsent bytes would otherwise stay in the kernel for minutes.
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

    /// Answers without a parsed request and closes the connection.
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
