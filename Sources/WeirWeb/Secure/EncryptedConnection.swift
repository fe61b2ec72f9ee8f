import NIOCore
import NIOTLS

/// Stands behind the encryption of a connection: ends one whose client does not finish the handshake in time, or whose address
/// has too many, and lets one of HTTP/2 go when others need its place.
///
/// A connection of HTTP/1.1 has a ``ConnectionGuard`` of its own from its first request on.
final class EncryptedConnection: ChannelInboundHandler, RemovableChannelHandler, RegisteredConnection {
    typealias InboundIn = NIOAny

    /// How long the streams of a connection that has to go may still take.
    private static let grace: TimeAmount = .seconds(2)

    private let limit: TimeAmount
    private let registry: ConnectionRegistry
    private let holds: StreamHolds
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    private var openedAt = NIODeadline.now()
    /// Whether it is another's to let the connection go.
    private var isGuarded = false

    init(handshake limit: TimeAmount, registry: ConnectionRegistry, holds: StreamHolds) {
        self.limit = limit
        self.registry = registry
        self.holds = holds
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        openedAt = context.eventLoop.now
        registry.add(context.channel, self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: limit) { bound.value.close(promise: nil) }
        if context.channel.isActive { refuse(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        refuse(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            timer?.cancel()
            isGuarded = negotiated != "h2"
        }
        if case .makeRoom? = event as? ConnectionEvent, !isGuarded {
            makeRoom(context)
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Whom the connection waits for: before its first request, for its client.
    func activity() -> ConnectionMachine.Activity? {
        context.map { holds.activity(of: $0.channel) ?? .idle(openedAt) }
    }

    func closeNow() { context?.close(promise: nil) }

    /// Nothing can be said before the handshake.
    private func refuse(_ context: ChannelHandlerContext) {
        if registry.isRefused(context.channel) { context.close(promise: nil) }
    }

    private func makeRoom(_ context: ChannelHandlerContext) {
        let activity = activity()
        if case .idle? = activity {
            context.close(promise: nil)
            return
        }
        // The client is told to open no more streams; what is held on it would not end by itself.
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        guard case .held? = activity else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: Self.grace) { bound.value.close(promise: nil) }
    }

    private func end(_ context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
        registry.remove(context.channel)
        holds.forget(context.channel)
    }
}
