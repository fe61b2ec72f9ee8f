import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL
import NIOTLS

/// Guards an encrypted connection: closes it if the handshake times out or its address has too many connections, and closes
/// an HTTP/2 connection when others need its place.
///
/// From its first request on, an HTTP/1.1 connection has its own ``ConnectionGuard``.
final class EncryptedConnection: ChannelInboundHandler, RemovableChannelHandler, RegisteredConnection {
    typealias InboundIn = NIOAny

    private static let grace: TimeAmount = .seconds(2)

    private let limit: TimeAmount
    private let registry: ConnectionRegistry
    private let holds: StreamHolds
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    private var openedAt = NIODeadline.now()
    /// Whether a ``ConnectionGuard`` controls the connection.
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

    func activity() -> ConnectionMachine.Activity? {
        context.map { holds.activity(of: $0.channel) ?? .idle(openedAt) }
    }

    func closeNow() { context?.close(promise: nil) }

    /// Closes without a response, since nothing can be sent before the handshake.
    private func refuse(_ context: ChannelHandlerContext) {
        if registry.isRefused(context.channel) { context.close(promise: nil) }
    }

    private func makeRoom(_ context: ChannelHandlerContext) {
        let activity = activity()
        if case .idle? = activity {
            context.close(promise: nil)
            return
        }
        // Tells the client to open no more streams. Held requests would not end on their own.
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

/// Counts the streams and held polls of each HTTP/2 connection, and limits the polls so that streams remain for other
/// requests.
final class StreamHolds: Sendable {
    /// The maximum number of held polls, out of 100 streams of a connection.
    static let limit = 90

    private struct Connection {
        var streams = 0
        var held = 0
        var since: NIODeadline
    }

    private let connections = NIOLockedValueBox<[ObjectIdentifier: Connection]>([:])

    func opened(_ stream: any Channel) { change(stream) { $0.streams += 1 } }

    /// Unregisters a stream; its hold must have ended.
    func closed(_ stream: any Channel) { change(stream) { $0.streams -= 1 } }

    /// Counts a held poll; returns false if it exceeds the limit.
    ///
    /// The caller must call ``end(on:)`` in either case.
    func begin(on stream: any Channel) -> Bool {
        change(stream) { $0.held += 1 }
        return connections.withLockedValue { ($0[Self.key(of: stream)]?.held ?? 0) <= Self.limit }
    }

    func end(on stream: any Channel) { change(stream) { $0.held -= 1 } }

    /// Returns a connection's activity; nil if it never had a stream.
    func activity(of connection: any Channel) -> ConnectionMachine.Activity? {
        connections.withLockedValue { connections in
            connections[ObjectIdentifier(connection)].map { known in
                if known.streams == 0 { return .idle(known.since) }
                return known.held >= known.streams ? .held(known.since) : .busy(known.since)
            }
        }
    }

    func forget(_ connection: any Channel) {
        connections.withLockedValue { $0[ObjectIdentifier(connection)] = nil }
    }

    private func change(_ stream: any Channel, _ body: (inout Connection) -> Void) {
        let (key, now) = (Self.key(of: stream), stream.eventLoop.now)
        connections.withLockedValue { connections in
            var connection = connections[key] ?? Connection(since: now)
            body(&connection)
            connection.since = now
            // Removes the entry of a forgotten connection.
            connections[key] =
                connection.streams > 0 || connection.held > 0 || stream.parent?.isActive == true
                ? connection : nil
        }
    }

    private static func key(of stream: any Channel) -> ObjectIdentifier { ObjectIdentifier(stream.parent ?? stream) }
}

/// HTTP/2 over TLS, with fallback to HTTP/1.1; each connection is subject to the connection limits.
struct SecureChannel: HTTPChannelHandler {
    typealias Value = HTTP2UpgradeChannel.Value

    private let base: HTTP2UpgradeChannel
    private let handshake: TimeAmount
    private let registry: ConnectionRegistry
    private let holds: StreamHolds
    var responder: Responder { base.responder }

    init(_ base: HTTP2UpgradeChannel, handshake: TimeAmount, registry: ConnectionRegistry, holds: StreamHolds) {
        self.base = base
        self.handshake = handshake
        self.registry = registry
        self.holds = holds
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let result = base.setup(channel: channel, logger: logger)
        do {
            let encryption = try channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
            try channel.pipeline.syncOperations.addHandler(
                EncryptedConnection(handshake: handshake, registry: registry, holds: holds),
                position: .after(encryption))
        } catch {
            channel.close(promise: nil)
        }
        return result
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
