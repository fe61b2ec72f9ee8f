import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL

/// HTTP/2, and HTTP/1.1 for clients that know nothing else, over TLS, each held to the limits of connections.
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
