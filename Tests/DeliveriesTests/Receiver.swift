import Flows
import Foundation
import NIOCore
import NIOPosix

/// A server on 127.0.0.1 that takes requests whole and answers each as the test says.
final class Receiver: Sendable {
    struct Request: Sendable, Equatable {
        let headers: [String: String]
        let body: String
    }

    let requests = MutableStateFlow<[Request]>([])
    private let channel: any Channel
    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/" }

    /// Binds; the closure is given the request's number, from 1, and returns the status line and more header fields.
    init(_ answer: @escaping @Sendable (Int) -> String = { _ in "200 OK" }) async throws {
        let requests = self.requests
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(
                        Handler { request in
                            let (_, all) = requests.update { $0 + [request] }
                            return answer(all.count)
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

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
            let status = answer(Request(headers: headers, body: String(body)))
            let channel = context.channel
            let reply = "HTTP/1.1 \(status)\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply))).whenComplete { _ in
                channel.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
