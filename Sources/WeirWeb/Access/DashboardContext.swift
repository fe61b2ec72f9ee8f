package import Hummingbird
package import NIOCore

/// The context of a request to a dashboard's own server: its connection and remote address.
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

    /// Waits until the connection has processed all writes, so that its writability is up to date.
    func settleWrites() async {
        // On a loop that has ended, later writes fail.
        try? await channel.eventLoop.submit {}.get()
    }

    /// Ends the body of the request, whose client may well go on sending, as its sender has no right to it any more.
    func stopBody() { channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.stopBody) }

    /// Runs work that is cancelled when the client closes its connection, or its stream of HTTP/2.
    func whileConnected<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        let watch = DepartureHandler { task.cancel() }
        do { try await channel.pipeline.addHandler(watch).get() } catch { task.cancel() }
        defer { channel.pipeline.removeHandler(watch).whenFailure { _ in } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// Reports that a client sends nothing more, or that its connection has ended.
private final class DepartureHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny
    private let report: @Sendable () -> Void

    init(report: @escaping @Sendable () -> Void) { self.report = report }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { report() }
        context.fireUserInboundEventTriggered(event)
    }

    // A channel that closes removes its handlers; not every handler before this one passes `channelInactive` on.
    func handlerRemoved(context: ChannelHandlerContext) { report() }
}
