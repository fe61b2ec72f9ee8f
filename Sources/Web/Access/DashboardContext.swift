package import Hummingbird
package import NIOCore

/// What a dashboard's own server knows of a request besides what it says: where it comes from.
package struct DashboardContext: RequestContext, RemoteAddressRequestContext {
    /// What Hummingbird keeps.
    package var coreContext: CoreRequestContextStorage
    /// The address at the other end of the connection.
    package let remoteAddress: SocketAddress?
    private let channel: any Channel

    /// Makes the context of a request.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
        channel = source.channel
    }

    /// Ends the body of the request, whose client may well go on sending, as its sender has no right to it any more.
    func stopBody() { channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.stopBody) }
}
