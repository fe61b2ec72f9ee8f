import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Stands last on a connection that has no task yet, and gives it one with the first part of a request that comes this far.
final class ConnectionTaskStarter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let start: (NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) -> Void
    private let stateHandler: () -> any ChannelHandler

    /// `start` begins the task, and `stateHandler` makes what ends the connection between its requests.
    init(
        start: @escaping (NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) -> Void,
        stateHandler: @escaping () -> any ChannelHandler
    ) {
        self.start = start
        self.stateHandler = stateHandler
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(stateHandler(), position: .after(self))
            start(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: context.channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)))
        } catch {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
        pipeline.removeHandler(self, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Nothing is in progress here, or a task would see to it.
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else {
            context.close(promise: nil)
            return
        }
        let fields: HTTPFields = [.connection: "close", .contentLength: "0"]
        context.write(wrapOutboundOut(.head(HTTPResponse(status: .badRequest, headerFields: fields))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
