import NIOCore
import NIOHTTP1

/// Refuses an answer whose status is below 100 before AsyncHTTPClient receives it.
///
/// AsyncHTTPClient treats every status below 200 as an interim one and waits for another head. NIO, for which only 100
/// to 199 are interim, then delivers the answer's end, on which AsyncHTTPClient ends the process (1.37, "How can we
/// receive a response end"). Any peer could cause that with `HTTP/1.1 099`.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var isRefused = false

    /// Adds a guard right after the decoder of a connection's answers.
    ///
    /// Call it on the channel's event loop.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusGuard(), position: .after(decoder))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isRefused = true
            context.fireErrorCaught(HTTPFailure.malformed(reason: "there is no status \(head.status.code)"))
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
