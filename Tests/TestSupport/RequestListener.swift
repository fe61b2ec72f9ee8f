import Foundation
import NIOCore
import NIOPosix

/// A server on 127.0.0.1 that takes requests of HTTP/1.1 whole, answers each as the test says, and hangs up.
package final class RequestListener: Sendable {
    /// A request; the names of its fields are in lower case.
    package struct Request: Sendable, Equatable {
        package let method: String
        /// The path with its query.
        package let path: String
        package let headers: [String: String]
        package let body: String
    }

    private let channel: any Channel

    /// Where it is, without a path.
    package var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// Binds; the closure is given a request, and returns the answer as it goes over the wire.
    package init(_ answer: @escaping @Sendable (Request) -> String) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(Handler(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    /// An answer as it goes over the wire, with further fields, each with its line's end.
    package static func http(_ status: String, _ body: String, fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)Connection: close\r\n\r\n\(body)"
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let answer: (Request) -> String
        private var text = ""

        init(_ answer: @escaping (Request) -> String) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            guard let end = text.firstRange(of: "\r\n\r\n") else { return }
            let lines = text[..<end.lowerBound].split(separator: "\r\n")
            let fields = lines.dropFirst().compactMap { line -> (String, String)? in
                let parts = line.split(separator: ": ", maxSplits: 1)
                return parts.count == 2 ? (parts[0].lowercased(), String(parts[1])) : nil
            }
            let headers = Dictionary(fields) { first, _ in first }
            let body = text[end.upperBound...]
            guard body.utf8.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 else { return }
            let words = (lines.first ?? "").split(separator: " ").map(String.init)
            let request = Request(
                method: words.first ?? "", path: words.dropFirst().first ?? "", headers: headers, body: String(body))
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer(request)))).whenComplete { _ in
                channel.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
