import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// HTTP/2, and HTTP/1.1 for clients that know nothing else, over TLS; whoever does not finish the handshake in time is let
/// go of.
struct SecureChannel: HTTPChannelHandler {
    typealias Value = HTTP2UpgradeChannel.Value

    private let base: HTTP2UpgradeChannel
    private let handshake: TimeAmount
    var responder: Responder { base.responder }

    init(_ base: HTTP2UpgradeChannel, handshake: TimeAmount) {
        self.base = base
        self.handshake = handshake
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let result = base.setup(channel: channel, logger: logger)
        do {
            let encryption = try channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
            try channel.pipeline.syncOperations.addHandler(HandshakeLimit(handshake), position: .after(encryption))
        } catch {
            channel.close(promise: nil)
        }
        return result
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// Closes a connection whose client does not finish the handshake in time.
final class HandshakeLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let limit: TimeAmount
    private var timer: Scheduled<Void>?

    init(_ limit: TimeAmount) { self.limit = limit }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: limit) { bound.value.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { timer?.cancel() }
        context.fireUserInboundEventTriggered(event)
    }
}
