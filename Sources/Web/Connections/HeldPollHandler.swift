import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers tails on the event loop of their connection, before any task is made for them, and notices at once when
/// their client leaves.
///
/// Everything else goes on to the routes.
///
/// Requests of one connection are answered in their order: a tail waits for the answers to the requests before it, and what
/// comes behind a held tail waits for its answer. While it waits, reading goes on for a little, because only a read
/// shows that the client is gone.
final class HeldPollHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Mode {
        /// Between requests.
        case idle
        /// Handing the parts of a request on.
        case forwarding
        /// Reading the rest of a tail.
        case tail(TailRequest, HTTPRequest)
        /// A tail is held; `closes` is whether its connection ends with the answer.
        case holding(WaitRegistration<ChangeWaiter>, TailRequest, closes: Bool, PollResponder)
    }

    /// How many parts may wait behind a held tail before reading stops.
    private static let queueLimit = 64

    private let dashboard: Dashboard
    private var mode = Mode.idle
    /// Parts that wait; an array, because one that is empty takes no memory.
    private var queue: [HTTPRequestPart] = []
    /// Requests that were handed on and are not answered yet.
    private var forwarded = 0
    /// Counts holds, so that an answer to an earlier one is not taken for this one's.
    private var holds = 0
    private var isReadPostponed = false
    private var isQuiescing = false
    private var isPumping = false
    /// What answers can be written to as bytes; nil where they must be encoded for each connection.
    private var watch: ConnectionGuard?

    init(_ dashboard: Dashboard) { self.dashboard = dashboard }

    // MARK: Reading

    func handlerAdded(context: ChannelHandlerContext) {
        watch = try? context.pipeline.syncOperations.handler(type: ConnectionGuard.self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        queue.append(unwrapInboundIn(data))
        pump(context)
    }

    func read(context: ChannelHandlerContext) {
        if queue.count < Self.queueLimit { context.read() } else { isReadPostponed = true }
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch = nil
        leave()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        leave()
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent, isHolding {
            leave()
            context.close(promise: nil)
            return
        }
        if case .some(.makeRoom) = event as? ConnectionEvent {
            makeRoom(context)
            return
        }
        if event is ChannelShouldQuiesceEvent, isHolding {
            // The handlers behind know nothing of the hold and would close the connection under it.
            isQuiescing = true
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, !queue.isEmpty { resume(context) }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        context.write(data, promise: promise)
        guard case .end = part else { return }
        forwarded = max(0, forwarded - 1)
        if forwarded == 0, !queue.isEmpty { resume(context) }
    }

    // MARK: Order

    private var isHolding: Bool {
        if case .holding = mode { true } else { false }
    }

    private func pump(_ context: ChannelHandlerContext) {
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while step(context) {}
        if isReadPostponed, queue.count < Self.queueLimit {
            isReadPostponed = false
            context.read()
        }
        if queue.isEmpty { queue = [] }
    }

    /// Goes on with what has waited: those behind take a read as over only when they are told so.
    private func resume(_ context: ChannelHandlerContext) {
        pump(context)
        context.fireChannelReadComplete()
    }

    /// Does something about the first part of the queue; false when it must wait.
    private func step(_ context: ChannelHandlerContext) -> Bool {
        guard let part = queue.first else { return false }
        switch mode {
        case .holding:
            return false
        case .idle:
            guard case .head(let head) = part else {
                queue.removeFirst()
                context.fireChannelRead(wrapInboundOut(part))
                return true
            }
            if let request = dashboard.tail(head) {
                // An answer that nobody takes is followed by no other.
                guard forwarded == 0, context.channel.isWritable else { return false }
                mode = .tail(request, head)
            } else {
                forwarded += 1
                mode = .forwarding
                context.fireChannelRead(wrapInboundOut(part))
            }
            queue.removeFirst()
        case .forwarding:
            queue.removeFirst()
            if case .end = part { mode = .idle }
            context.fireChannelRead(wrapInboundOut(part))
        case .tail(let request, let head):
            queue.removeFirst()
            if case .end = part { answer(request, head, context) }
        }
        return true
    }

    // MARK: Holding

    private func answer(_ request: TailRequest, _ head: HTTPRequest, _ context: ChannelHandlerContext) {
        let (admission, seen): (Admission, AudienceDashboard)
        // The channel's and not the context's: a stream of HTTP/2 ends the process when its core is asked.
        switch dashboard.admit(head, peer: context.channel.remoteAddress) {
        case .authorized(let known, let dashboard): (admission, seen) = (known, dashboard)
        case .askRoute:
            forward(head, context)
            return
        case .refused:
            mode = .idle
            write(PollAnswer.refused, closes: Self.ends(head), context)
            return
        }
        holds += 1
        switch request {
        case .poll(let poll): self.poll(poll, of: admission, by: seen.pollResponder, head, context)
        case .stream(let stream): read(stream, of: admission, from: seen, head, context)
        }
    }

    private func poll(
        _ request: PollRequest, of admission: Admission, by responder: PollResponder, _ head: HTTPRequest,
        _ context: ChannelHandlerContext
    ) {
        let hold = holds
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let reply = responder.poll(request, of: admission, on: context.eventLoop) { answer in
            let (handler, context) = handler.value
            handler.deliver(answer, hold: hold, context)
        }
        switch reply {
        case .held(let place):
            mode = .holding(place, .poll(request), closes: Self.ends(head), responder)
            context.triggerUserOutboundEvent(ConnectionEvent.holdBegan, promise: nil)
        case .answer(let answer):
            mode = .idle
            write(answer, closes: Self.ends(head), context)
        case .unknown, .farSlot, .notInMemory:
            forward(head, context)
        }
    }

    private func read(
        _ request: StreamRequest, of admission: Admission, from seen: AudienceDashboard, _ head: HTTPRequest,
        _ context: ChannelHandlerContext
    ) {
        let hold = holds
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let reply = seen.streamResponder.read(request, of: admission, on: context.eventLoop) { answer in
            let (handler, context) = handler.value
            handler.deliver(answer, hold: hold, context)
        }
        switch reply {
        case .held(let place):
            mode = .holding(place, .stream(request), closes: Self.ends(head), seen.pollResponder)
            context.triggerUserOutboundEvent(ConnectionEvent.holdBegan, promise: nil)
        case .answer(let answer):
            mode = .idle
            write(answer, closes: Self.ends(head), context)
        case .askRoute, .crowded:
            forward(head, context)
        }
    }

    /// Hands a tail on to the routes, which look further, and have the words for what is wrong.
    private func forward(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        mode = .idle
        forwarded += 1
        context.fireChannelRead(wrapInboundOut(.head(head)))
        context.fireChannelRead(wrapInboundOut(.end(nil)))
        context.fireChannelReadComplete()
    }

    /// Whether a connection ends with the answer to a request, whatever that is.
    private static func ends(_ head: HTTPRequest) -> Bool {
        head.isLastRead || head.headerFields[.connection]?.lowercased() == "close"
    }

    private func deliver(_ answer: some TailAnswer, hold: Int, _ context: ChannelHandlerContext) {
        guard hold == holds, case .holding(_, _, let closes, _) = mode else { return }
        mode = .idle
        context.triggerUserOutboundEvent(ConnectionEvent.holdEnded, promise: nil)
        write(answer, closes: closes, context)
        resume(context)
    }

    private func write(_ answer: some TailAnswer, closes: Bool, _ context: ChannelHandlerContext) {
        let closes = closes || answer.closes || isQuiescing
        if !closes, let message = answer.message, let watch, watch.answer(message) { return }
        var head = answer.head(at: dashboard.clock.wall)
        if closes { head.headerFields[.connection] = "close" }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if answer.body.readableBytes > 0 { context.write(wrapOutboundOut(.body(answer.body)), promise: nil) }
        guard closes else {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
    }

    /// Lets the held poll go, to come back after a while: others need its connection.
    private func makeRoom(_ context: ChannelHandlerContext) {
        guard case .holding(let place, let request, _, let responder) = mode, responder.leave(place) else { return }
        switch request {
        case .poll(let request):
            deliver(responder.answers.crowded(request, sequence: request.sequence), hold: holds, context)
        case .stream:
            deliver(StreamAnswer.crowded, hold: holds, context)
        }
    }

    private func leave() {
        guard case .holding(let place, _, _, let responder) = mode else { return }
        mode = .idle
        holds += 1
        // When the place was left before, an answer is on its way here, and finds that nobody waits.
        _ = responder.leave(place)
    }
}
