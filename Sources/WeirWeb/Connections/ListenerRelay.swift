import NIOCore
import NIOPosix

/// Feeds the connections of a socket that the process was given to a server that listens elsewhere.
///
/// Hummingbird opens its listening socket itself. A relay passes the connections of another one through the same pipeline, so
/// that they are counted, served and closed like the server's own.
final class ListenerRelay: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let server: any Channel

    private init(to server: any Channel) { self.server = server }

    /// Listens on a bound socket until the server's channel closes.
    static func start(on descriptor: CInt, for server: any Channel, _ group: any EventLoopGroup) async throws
        -> any Channel
    {
        let relay = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ListenerRelay(to: server))
                }
            }
            .withBoundSocket(descriptor).get()
        server.closeFuture.whenComplete { _ in relay.close(promise: nil) }
        return relay
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let (connection, server) = (unwrapInboundIn(data), server)
        server.eventLoop.execute {
            guard server.isActive else { return connection.close(promise: nil) }
            server.pipeline.syncOperations.fireChannelRead(NIOAny(connection))
            server.pipeline.syncOperations.fireChannelReadComplete()
        }
    }
}
