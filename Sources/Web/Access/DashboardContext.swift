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

    /// Waits until the connection has come to what was written, so that it knows whether its client takes more.
    func settleWrites() async {
        // A loop that has ended writes nothing, and what is written next fails.
        try? await channel.eventLoop.submit {}.get()
    }

    /// Ends the body of the request, whose client may well go on sending, as its sender has no right to it any more.
    func stopBody() { channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.stopBody) }
}
