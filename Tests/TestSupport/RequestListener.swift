import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A server on 127.0.0.1 that takes requests of HTTP/1.1 whole, answers each as the test says, and hangs up or stalls.
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
    private let connections = Connections()

    /// Where it is, without a path.
    package var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// Binds.
    ///
    /// - Parameters:
    ///   - reads: Whether it reads what is sent to it.
    ///   - hangsUp: Whether it hangs up after an answer; otherwise it sends nothing more and leaves the connection open.
    ///   - answer: Is given a request, and returns the answer as it goes over the wire.
    /// - Throws: What the system says.
    package init(
        reads: Bool = true, hangsUp: Bool = true, _ answer: @escaping @Sendable (Request) -> String
    ) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: reads)
            .childChannelInitializer { [connections] child in
                connections.add(child)
                return child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(Handler(hangsUp: hangsUp, answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit {
        channel.close(promise: nil)
        connections.close()
    }

    /// The connections, which end with the listener.
    private final class Connections: Sendable {
        private let channels = Mutex<[any Channel]>([])

        func add(_ channel: any Channel) { channels.withLock { $0.append(channel) } }

        func close() { for channel in channels.withLock({ $0 }) { channel.close(promise: nil) } }
    }

    /// An answer as it goes over the wire, with further fields, each with its line's end.
    package static func http(_ status: String, _ body: String, fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)Connection: close\r\n\r\n\(body)"
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let hangsUp: Bool
        private let answer: (Request) -> String
        private var text = ""

        init(hangsUp: Bool, _ answer: @escaping (Request) -> String) { (self.hangsUp, self.answer) = (hangsUp, answer) }

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
            let (channel, hangsUp) = (context.channel, hangsUp)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer(request)))).whenComplete { _ in
                if hangsUp { channel.close(promise: nil) }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
