package import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Rejects responses with a status below 100 before AsyncHTTPClient receives them.
///
/// AsyncHTTPClient treats every status below 200 as informational and waits for another head. NIO, for which only 100 to 199
/// are informational, then delivers the response's end, on which AsyncHTTPClient terminates the process (1.37, "How can we
/// receive a response end"). Any peer could cause that with `HTTP/1.1 099`.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The response has an invalid status.
    struct NoStatus: Error, Hashable, Sendable, CustomStringConvertible {
        let code: UInt

        var description: String { "there is no status \(code)" }
    }

    private var isRefused = false

    /// Adds a guard after the connection's response decoder; call it on the channel's event loop.
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
            context.fireErrorCaught(NoStatus(code: head.status.code))
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}

extension HTTPClient.Configuration {
    /// Adds a ``StatusGuard`` to every connection.
    ///
    /// Restricts the client to HTTP/1.1, because the guard does not see responses on HTTP/2 connections.
    package mutating func guardStatuses() {
        httpVersion = .http1Only
        http1_1ConnectionDebugInitializer = { StatusGuard.add(to: $0) }
    }
}
