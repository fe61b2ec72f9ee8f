import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers tails on the event loop of their connection, before a task exists for them, and detects at once when the client
/// disconnects.
///
/// All other requests are forwarded to the routes.
///
/// Requests of one connection are answered in order: a tail waits for the answers to earlier requests, and later requests wait
/// for a held tail. While a tail is held, reading continues up to a limit, because only a read detects a disconnect.
final class HeldPollHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Mode {
        case idle
        case forwarding
        /// Reading the rest of a tail.
        case tail(HeldRequest, HTTPRequest)
        /// A tail is held; `closes` tells whether the connection closes after its answer.
        case holding(WaitRegistration<ChangeWaiter>, HeldRequest, closes: Bool, PollResponder)
    }

    /// The maximum number of parts that are queued behind a held tail before reading stops.
    private static let queueLimit = 64

    let dashboard: Dashboard
    private var mode = Mode.idle
    /// Queued parts; an array, because an empty one allocates no memory.
    private var queue: [HTTPRequestPart] = []
    private var forwarded = 0
    /// Counts holds, to discard an answer to an earlier one.
    private var holds = 0
    private var isReadPostponed = false
    var isQuiescing = false
    private var isPumping = false
    /// Accepts pre-encoded answers; nil if answers must be encoded per connection.
    var watch: ConnectionGuard?
    private var context: ChannelHandlerContext?

    init(_ dashboard: Dashboard) { self.dashboard = dashboard }

    // MARK: Reading

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watch = try? context.pipeline.syncOperations.handler(type: ConnectionGuard.self)
        watch?.setPolls(self)
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
        watch?.setPolls(nil)
        watch = nil
        self.context = nil
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
            // Later handlers do not know of the hold and would close the connection.
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

    /// Processes queued parts; later handlers then need a read-complete event.
    private func resume(_ context: ChannelHandlerContext) {
        pump(context)
        context.fireChannelReadComplete()
    }

    /// Processes the first queued part; returns false if it must wait.
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
                // Wait until earlier answers are written and the client accepts bytes.
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
            if case .end = part { answer(request, .parsed(head), context) }
        }
        return true
    }

    // MARK: Holding

    var isIdle: Bool {
        guard case .idle = mode, queue.isEmpty, forwarded == 0, let context else { return false }
        return context.channel.isWritable
    }

    /// Answers a poll recognized without parsing; requires `isIdle`.
    func answer(_ known: RequestHeadCache.Known) {
        guard let context else { return }
        answer(.poll(known.request), .known(known), context)
    }

    private func answer(_ request: HeldRequest, _ head: HeldRequestHead, _ context: ChannelHandlerContext) {
        let (admission, seen): (Admission, AudienceDashboard)
        // Use the channel, not the context: an HTTP/2 stream traps when its context's core is asked.
        switch dashboard.admit(head, peer: context.channel.remoteAddress) {
        case .authorized(let known, let dashboard): (admission, seen) = (known, dashboard)
        case .askRoute:
            forward(head, context)
            return
        case .refused:
            mode = .idle
            write(PollAnswer.refused, closes: head.isLast, context)
            return
        }
        holds += 1
        if case .parsed(let parsed) = head, case .poll(let poll) = request, !head.isLast { watch?.parsed(poll, parsed) }
        switch request {
        case .poll(let poll): self.poll(poll, of: admission, by: seen.pollResponder, head, context)
        case .stream(let stream): read(stream, of: admission, from: seen, head, context)
        }
    }

    private func poll(
        _ request: PollRequest, of admission: Admission, by responder: PollResponder, _ head: HeldRequestHead,
        _ context: ChannelHandlerContext
    ) {
        let hold = holds
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let reply = responder.poll(request, of: admission, mayRender: false, on: context.eventLoop) { answer in
            let (handler, context) = handler.value
            handler.deliver(answer, hold: hold, context)
        }
        switch reply {
        case .held(let place):
            mode = .holding(place, .poll(request), closes: head.isLast, responder)
            say(.holdBegan, context)
        case .answer(let answer):
            mode = .idle
            write(answer, closes: head.isLast, context)
        case .unknown, .farSlot, .notInMemory, .unmade:
            forward(head, context)
        }
    }

    private func read(
        _ request: StreamRequest, of admission: Admission, from seen: AudienceDashboard, _ head: HeldRequestHead,
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
            mode = .holding(place, .stream(request), closes: head.isLast, seen.pollResponder)
            say(.holdBegan, context)
        case .answer(let answer):
            mode = .idle
            write(answer, closes: head.isLast, context)
        case .askRoute, .crowded:
            forward(head, context)
        }
    }

    /// Forwards a tail to the routes, which look further and report errors.
    private func forward(_ head: HeldRequestHead, _ context: ChannelHandlerContext) {
        mode = .idle
        forwarded += 1
        guard watch?.installCodec() ?? true else { return }
        context.fireChannelRead(wrapInboundOut(.head(head.request)))
        context.fireChannelRead(wrapInboundOut(.end(nil)))
        context.fireChannelReadComplete()
    }

    private func deliver(_ answer: some HeldAnswer, hold: Int, _ context: ChannelHandlerContext) {
        guard hold == holds, case .holding(_, _, let closes, _) = mode else { return }
        mode = .idle
        say(.holdEnded, context)
        write(answer, closes: closes, context)
        resume(context)
    }

    /// Answers the held poll with a request to retry later, to free its connection.
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
        // If the place was already left, `deliver` discards the answer under way.
        _ = responder.leave(place)
    }
}

extension HeldPollHandler {
    /// Sends an event to the connection's guard, or down the pipeline of a stream.
    func say(_ event: ConnectionEvent, _ context: ChannelHandlerContext) {
        guard let watch else {
            context.triggerUserOutboundEvent(event, promise: nil)
            return
        }
        watch.heard(event)
    }

    func write(_ answer: some HeldAnswer, closes: Bool, _ context: ChannelHandlerContext) {
        let closes = closes || answer.closes || isQuiescing
        dashboard.services.requests.count(answer is StreamAnswer ? .stream : .poll, answer.status)
        let wall = dashboard.clock.wall
        if !closes, let watch, watch.answer(answer.message ?? answer.encoded(at: wall)) { return }
        var head = answer.head(at: wall)
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
}

/// The last handler of a connection without a task: starts one when the first part of a request arrives.
final class ConnectionTaskStarter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let start: (NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) -> Void
    private let stateHandler: () -> any ChannelHandler

    /// Creates the handler; `start` starts the task, and `stateHandler` creates the handler that closes the idle connection.
    init(
        start: @escaping (NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) -> Void,
        stateHandler: @escaping () -> any ChannelHandler
    ) {
        self.start = start
        self.stateHandler = stateHandler
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(stateHandler(), position: .after(self))
            start(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: context.channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)))
        } catch {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
        pipeline.removeHandler(self, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // No request is in progress, or a task would handle the event.
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else {
            context.close(promise: nil)
            return
        }
        let fields: HTTPFields = [.connection: "close", .contentLength: "0"]
        context.write(wrapOutboundOut(.head(HTTPResponse(status: .badRequest, headerFields: fields))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
