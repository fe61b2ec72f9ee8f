import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A server on 127.0.0.1 that answers requests of HTTP/1.1, or stalls as the test says.
package final class StallingListener: Sendable {
    /// Where an answer stalls.
    package enum Stall: Sendable, Hashable, CaseIterable {
        /// The connection is accepted, and nothing is sent.
        case beforeHeader
        case withinHeader
        case afterHeader
        /// The body comes a byte at a time.
        case dripping
        /// The body has no end.
        case endless
        /// The answer redirects, and its body never ends.
        case redirect
    }

    /// What a request is answered.
    package enum Answer: Sendable {
        /// 200 with this body, and the end of the connection.
        case body(String)
        case stall(Stall)
    }

    private let channel: any Channel

    /// The address, without a path.
    package var url: String { "http://127.0.0.1:\(port)" }
    package var port: Int { channel.localAddress?.port ?? 0 }

    /// Binds; the closure gets the path of each request.
    package init(_ answer: @escaping @Sendable (String) -> Answer) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(Handler(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let answer: (String) -> Answer
        private var text = ""

        init(_ answer: @escaping (String) -> Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            guard text.contains("\r\n\r\n") else { return }
            let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            text = ""
            let channel = context.channel
            func send(_ text: String) {
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            }
            switch answer(path) {
            case .body(let body):
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head + body))).whenComplete { _ in
                    channel.close(promise: nil)
                }
            case .stall(.beforeHeader): break
            case .stall(.withinHeader): send("HTTP/1.1 200 OK\r\nContent-Le")
            case .stall(.afterHeader): send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
            case .stall(.redirect):
                send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 100\r\n\r\n")
            case .stall(.dripping):
                send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                Self.repeat(" ", every: .milliseconds(20), on: channel)
            case .stall(.endless):
                send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                Self.repeat("1000\r\n\(String(repeating: " ", count: 4_096))\r\n", every: .milliseconds(1), on: channel)
            }
        }

        private static func `repeat`(_ text: String, every time: TimeAmount, on channel: any Channel) {
            channel.eventLoop.scheduleTask(in: time) {
                guard channel.isActive else { return }
                if channel.isWritable { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
                Self.repeat(text, every: time, on: channel)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
