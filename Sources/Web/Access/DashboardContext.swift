package import Hummingbird
package import NIOCore

/// What a dashboard's own server knows of a request besides what it says: where it comes from.
package struct DashboardContext: RequestContext, RemoteAddressRequestContext {
    /// What Hummingbird keeps.
    package var coreContext: CoreRequestContextStorage
    /// The address at the other end of the connection.
    package let remoteAddress: SocketAddress?

    /// Makes the context of a request.
    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
