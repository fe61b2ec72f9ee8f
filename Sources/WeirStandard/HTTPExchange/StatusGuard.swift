package import AsyncHTTPClient
package import NIOCore
package import NIOHTTP1

/// Refuses an answer whose status is below 100 before AsyncHTTPClient receives it.
///
/// AsyncHTTPClient treats every status below 200 as an interim one and waits for another head. NIO, for which only 100
/// to 199 are interim, then delivers the answer's end, on which AsyncHTTPClient ends the process (1.37, "How can we
/// receive a response end"). Any peer could cause that with `HTTP/1.1 099`.
package final class StatusGuard: ChannelInboundHandler {
    package typealias InboundIn = HTTPClientResponsePart
    package typealias InboundOut = HTTPClientResponsePart

    /// An answer has a status that does not exist.
    package struct NoStatus: Error, Hashable, Sendable, CustomStringConvertible {
        /// What the answer has in its place.
        package let code: UInt

        /// What is wrong.
        package var description: String { "there is no status \(code)" }
    }

    private var isRefused = false

    /// Adds a guard right after the decoder of a connection's answers.
    ///
    /// Call it on the channel's event loop.
    package static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusGuard(), position: .after(decoder))
        }
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
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
    /// Has every connection guarded by a ``StatusGuard``.
    ///
    /// All requests go over HTTP/1.1 then: on a connection of HTTP/2 the guard could not see the answers.
    package mutating func guardStatuses() {
        httpVersion = .http1Only
        http1_1ConnectionDebugInitializer = { StatusGuard.add(to: $0) }
    }
}
