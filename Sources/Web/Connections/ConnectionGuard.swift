import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Watches over one connection: ends it when its client keeps it waiting, when an answer says so, and when the client
/// sends something that is not HTTP, which it answers in words.
///
/// It puts a `ReadThrottle` between itself and the socket.
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
    private let limits: ConnectionLimits
    private let registry: ConnectionRegistry
    /// Whether what is written in front of this handler's throttle is what the client reads.
    private let isUnencrypted: Bool
    private var context: ChannelHandlerContext?
    private var throttle: ReadThrottle?
    private var check: RepeatedTask?
    /// Whether the connection ends with the answer that is, or will be, written.
    private var isClosing = false
    /// Whether an answer was written without a request that was read, so that the client may still send one.
    private var isUnasked = false
    private var isDiscarding = false
    private var isBodyStopped = false

    /// Watches over a connection; `isUnencrypted` allows answers that are encoded already.
    init(limits: ConnectionLimits, registry: ConnectionRegistry, isUnencrypted: Bool = false) {
        self.isUnencrypted = isUnencrypted
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
        registry.add(context.channel, self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        check = context.eventLoop.scheduleRepeatedTask(initialDelay: limits.interval, delay: limits.interval) { _ in
            bound.value.checkProgress()
        }
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
        case .head(let head): machine.requestBegan(bodyLength: head.bodyLength, now: context.eventLoop.now)
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
            schedule(in: limits.lastBytes) { $0.stopBody(.shutdown) }
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError, machine.unanswered == 0, !isDiscarding else {
            context.fireErrorCaught(error)
            return
        }
        answer(error == .headerOverflow ? .headerTooLarge : .malformed)
    }

    // MARK: Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
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
    func answer(_ message: ByteBuffer) -> Bool {
        guard isUnencrypted, let context, let throttle, !isClosing, !isDiscarding, machine.unanswered == 1,
            !machine.isReadingRequest
        else { return false }
        machine.answerEnded(now: context.eventLoop.now)
        throttle.send(message)
        throttle.resume()
        return true
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event as? ConnectionEvent {
        case .holdBegan: machine.holdBegan(now: context.eventLoop.now)
        case .holdEnded: machine.holdEnded()
        case .makeRoom, .stopBody, nil:
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        promise?.succeed()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Whoever closes right behind an answer does not know that the client still sends.
        let isAnswered = isDiscarding || (isClosing && machine.unanswered == 0 && mayStillSend)
        guard mode == .all, isAnswered, context.channel.isActive else {
            context.close(mode: mode, promise: promise)
            return
        }
        context.channel.closeFuture.cascade(to: promise)
        schedule(in: limits.linger) { $0.closeNow() }
    }

    /// Ends the connection, whatever there is still to send or to read.
    func closeNow() { context?.close(promise: nil) }

    /// Whether what is left of the body of the request that is being answered is not worth reading.
    private var isBodyTooLong: Bool {
        guard machine.unanswered == 1, machine.isReadingRequest else { return false }
        return machine.bodyLeft.map { $0 > Self.bodyWorthReading } ?? true
    }

    private var mayStillSend: Bool { machine.isReadingRequest || isUnasked }

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

    // MARK: Time

    /// Whom the connection waits for.
    func activity() -> ConnectionMachine.Activity? {
        guard let context else { return nil }
        observeUnsent(context)
        return machine.activity(now: context.eventLoop.now)
    }

    private func checkProgress() {
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

    /// Ends a body whose client continues sending: whoever reads it is given the reason, and answers.
    private func stopBody(_ reason: BodyStop) {
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

    private func makeRoom(_ context: ChannelHandlerContext) {
        observeUnsent(context)
        switch machine.activity(now: context.eventLoop.now) {
        case .idle: context.close(promise: nil)
        case .slow: reset(context)
        case .held: context.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
        case .busy: isClosing = true
        }
    }

    /// Breaks the connection off: what the client has not taken would otherwise stay in the kernel for minutes.
    private func reset(_ context: ChannelHandlerContext) {
        (context.channel as? any SocketOptionProvider)?
            .setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        context.close(promise: nil)
    }

    private func schedule(in time: TimeAmount, _ body: @escaping @Sendable (ConnectionGuard) -> Void) {
        guard let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: time) { body(bound.value) }
    }

    /// Answers without a request that could be read, and ends the connection.
    private func answer(_ answer: ConnectionAnswer) {
        guard let context, !isUnasked, !isDiscarding else { return }
        isUnasked = true
        let (head, body) = answer.parts
        write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
        throttle = nil
        self.context = nil
        registry.remove(context.channel)
    }
}
