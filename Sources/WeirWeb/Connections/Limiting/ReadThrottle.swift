import NIOCore

/// Stands between the socket and the parser of one connection: lets in only so many requests as can be waited for.
///
/// What was read and may not be parsed yet waits here as bytes, at most one read; until it is parsed nothing more is read,
/// and the client's own buffer fills. A poll whose bytes are known is not parsed at all: see ``KnownHeads``.
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
    /// Whether the client sends nothing any more.
    private(set) var hasEnded = false
    private var isParsing = false
    private var isDiscarding = false
    private var isTurnScheduled = false
    /// Whether what was handed on ended with a whole request, so that a next one begins with the next byte.
    private var isBetweenRequests = true
    private var hasRead = false
    /// Whether what waits is the beginning of a request whose rest is about to come.
    private var isBeginning = false
    /// How many bytes were dropped.
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

    /// Writes bytes to the socket, past whoever encodes.
    func send(_ bytes: ByteBuffer) {
        guard let context else { return }
        watch.machine.wrote(bytes.readableBytes, now: context.eventLoop.now)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
    }

    /// Calls back once all that was written so far has left, or cannot any more.
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

    /// Drops what is read from now on.
    func discard() {
        isDiscarding = true
        waiting = ByteBuffer()
    }

    /// Goes on when what stood against reading is over.
    func resume() {
        guard let context, !isBeginning else { return }
        let before = waiting.readableBytes
        parse(context)
        // Those behind take parts as read only when a read is over.
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

    /// Has what waits answered, if it is one whole request that is known.
    private func isAnswered() -> Bool {
        guard isBetweenRequests, let known = watch.recognize(waiting) else { return false }
        waiting = ByteBuffer()
        watch.answer(known)
        return true
    }

    /// Hands on what may be parsed.
    private func handOn(_ context: ChannelHandlerContext) {
        // Who sends many requests at once lets others in between: a few each time, and the rest in turns.
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
        // What is executed at once would come before the sockets of the others.
        context.eventLoop.scheduleTask(in: .milliseconds(1)) {
            bound.value.isTurnScheduled = false
            bound.value.resume()
        }
    }
}
