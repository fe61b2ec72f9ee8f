import NIOCore

/// Buffers bytes between the socket and the parser, so that only as many requests are parsed as the limits permit.
///
/// At most one read is buffered. Until it is parsed, nothing more is read, and TCP flow control slows the client. A known poll
/// is answered without parsing: see ``RequestHeadCache``.
final class ReadThrottle: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let watch: ConnectionGuard
    private var context: ChannelHandlerContext?
    private var waiting = ByteBuffer()
    private var isReadPostponed = false
    private var isInputClosed = false
    private(set) var hasEnded = false
    private var isParsing = false
    private var isDiscarding = false
    private var isTurnScheduled = false
    /// Whether the forwarded bytes end with a complete request, so that the next byte starts a new one.
    private var isBetweenRequests = true
    private var hasRead = false
    /// Whether the buffer holds the truncated start of a request.
    private var isBeginning = false
    private(set) var discarded = 0

    init(_ watch: ConnectionGuard) { self.watch = watch }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard !isDiscarding else {
            discarded += bytes.readableBytes
            return
        }
        let isBlank = bytes.readableBytes <= 4 && bytes.readableBytesView.allSatisfy { $0 == 0x0d || $0 == 0x0a }
        watch.machine.arrived(bytes.readableBytes, isBlank: isBlank, now: context.eventLoop.now)
        isBeginning = !hasRead && UnpooledReads.isCut(bytes)
        hasRead = true
        if waiting.readableBytes == 0 { waiting = bytes } else { waiting.writeBuffer(&bytes) }
        if !isBeginning { parse(context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        watch.machine.readEnded(now: context.eventLoop.now)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        guard waiting.readableBytes == 0 || isBeginning, mayRead(context) else {
            isReadPostponed = true
            return
        }
        isReadPostponed = false
        watch.machine.readBegan(now: context.eventLoop.now)
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        watch.machine.wrote(unwrapOutboundIn(data).readableBytes, now: context.eventLoop.now)
        context.write(data, promise: promise)
    }

    /// Writes bytes to the socket without the encoder.
    func send(_ bytes: ByteBuffer) {
        guard let context else { return }
        watch.machine.wrote(bytes.readableBytes, now: context.eventLoop.now)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
    }

    /// Calls back when all bytes written so far are sent or have failed.
    func whenSent(_ body: @escaping @Sendable () -> Void) {
        guard let context else { return body() }
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: sent)
        sent.futureResult.whenComplete { _ in body() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        resume()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isEnd = (event as? ChannelEvent) == .inputClosed
        hasEnded = hasEnded || isEnd
        if isEnd, waiting.readableBytes > 0 {
            isInputClosed = true
            if isBeginning {
                isBeginning = false
                parse(context)
            }
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting = ByteBuffer()
        context.fireChannelInactive()
    }

    func discard() {
        isDiscarding = true
        waiting = ByteBuffer()
    }

    /// Continues reading after a limit no longer applies.
    func resume() {
        guard let context, !isBeginning else { return }
        let before = waiting.readableBytes
        parse(context)
        // Later handlers process parts only after a read-complete event.
        if waiting.readableBytes < before { context.fireChannelReadComplete() }
        if isReadPostponed { read(context: context) }
    }

    private func mayRead(_ context: ChannelHandlerContext) -> Bool {
        isDiscarding || watch.machine.mayRead(isWritable: context.channel.isWritable)
    }

    private func parse(_ context: ChannelHandlerContext) {
        guard !isParsing else { return }
        isParsing = true
        if waiting.readableBytes > 0, !isAnswered() { handOn(context) }
        isParsing = false
        guard waiting.readableBytes == 0 else {
            scheduleTurn(context)
            return
        }
        waiting = ByteBuffer()
        if isInputClosed {
            isInputClosed = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    /// Answers the buffered bytes if they are one known request.
    private func isAnswered() -> Bool {
        guard isBetweenRequests, let known = watch.recognize(waiting) else { return false }
        waiting = ByteBuffer()
        watch.answer(known)
        return true
    }

    private func handOn(_ context: ChannelHandlerContext) {
        // Parse only one request per turn, so that a pipelining client does not delay other connections.
        let begun = watch.machine.begun
        let bytes = isBetweenRequests ? waiting : nil
        watch.parsingBegan()
        while waiting.readableBytes > 0, mayRead(context),
            watch.machine.begun == begun || watch.machine.isReadingRequest
        {
            guard let slice = waiting.readSlice(length: min(waiting.readableBytes, watch.machine.slice)) else { break }
            isBetweenRequests = false
            guard watch.installCodec() else { return }
            context.fireChannelRead(wrapInboundOut(slice))
            let isEnd = slice.readableBytesView.suffix(4).elementsEqual(Self.endOfHead)
            isBetweenRequests = isEnd && watch.machine.begun != begun && !watch.machine.isReadingRequest
        }
        let isOneRequest = isBetweenRequests && waiting.readableBytes == 0 && watch.machine.begun == begun &+ 1
        watch.parsingEnded(isOneRequest ? bytes : nil)
    }

    private static let endOfHead: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a]

    private func scheduleTurn(_ context: ChannelHandlerContext) {
        guard !isTurnScheduled, mayRead(context) else { return }
        isTurnScheduled = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        // A task without delay would run before the sockets of other connections.
        context.eventLoop.scheduleTask(in: .milliseconds(1)) {
            bound.value.isTurnScheduled = false
            bound.value.resume()
        }
    }
}

extension ConnectionGuard {
    /// Writes and flushes a pre-encoded answer to the only open request; returns false without writing if the head needs
    /// changes or the connection is encrypted.
    func answer(_ message: @autoclosure () -> ByteBuffer) -> Bool {
        guard isUnencrypted, let context, let throttle, !isClosing, !isDiscarding, machine.unanswered == 1,
            !machine.isReadingRequest
        else { return false }
        machine.answerEnded(now: context.eventLoop.now)
        throttle.send(message())
        throttle.resume()
        return true
    }
}
