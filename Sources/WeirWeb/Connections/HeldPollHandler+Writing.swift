import HTTPTypes
import NIOCore
import NIOHTTPTypes

extension HeldPollHandler {
    /// Tells whoever watches over the connection, or over its streams.
    func say(_ event: ConnectionEvent, _ context: ChannelHandlerContext) {
        guard let watch else {
            context.triggerUserOutboundEvent(event, promise: nil)
            return
        }
        watch.heard(event)
    }

    /// Writes the answer to the request that is next, and ends the connection if that is to be.
    func write(_ answer: some TailAnswer, closes: Bool, _ context: ChannelHandlerContext) {
        let closes = closes || answer.closes || isQuiescing
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
