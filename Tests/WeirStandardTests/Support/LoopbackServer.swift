import NIOCore
import NIOPosix
import WeirFlows

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server on 127.0.0.1 and a port of the system's choice, which does to each request what the test says.
final class LoopbackServer: Sendable {
    enum Behaviour: Sendable {
        /// Sends bytes and hangs up.
        case answer(String)
        /// Sends bytes, and no more, and stays.
        case stay(String)
        /// Sends bytes, and then one byte every few milliseconds.
        case drip(String)
        /// Hangs up rudely, with a TCP reset, after sending some bytes.
        case reset(String)
        /// Sends a head and then a body without end.
        case endless
    }

    let requests = MutableStateFlow<[String]>([])
    private let channel: any Channel
    var port: Int { channel.localAddress?.port ?? 0 }
    var url: String { "http://127.0.0.1:\(port)/" }

    /// Binds; the closure is given the request's number, from 1, and its text up to the body.
    init(_ behave: @escaping @Sendable (Int, String) -> Behaviour) async throws {
        let requests = self.requests
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(
                        LoopbackHandler { text in
                            let (_, all) = requests.update { $0 + [text] }
                            return behave(all.count, text)
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// A server that answers each request the same.
    static func answering(status: String = "200 OK", _ body: String, headers: String = "") async throws
        -> LoopbackServer
    {
        try await LoopbackServer { _, _ in .answer(http(status: status, body, headers: headers)) }
    }

    /// An answer as it goes over the wire.
    static func http(status: String = "200 OK", _ body: String, headers: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)Connection: close\r\n\r\n\(body)"
    }

    /// A port at which nothing listens, and that the system never gives to a server of another test.
    static let deadPort = 1

    deinit { channel.close(promise: nil) }
}

private final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let behave: (String) -> LoopbackServer.Behaviour
    private var text = ""
    private var isEndless = false
    private var isDone = false

    init(_ behave: @escaping (String) -> LoopbackServer.Behaviour) { self.behave = behave }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text += String(buffer: unwrapInboundIn(data))
        guard !isDone, text.contains("\r\n\r\n") || text.first.map({ !$0.isASCII || !$0.isLetter }) == true else {
            return
        }
        isDone = true
        let channel = context.channel
        switch behave(text) {
        case .answer(let answer):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer))).whenComplete { _ in
                channel.close(promise: nil)
            }
        case .stay(let answer):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        case .drip(let answer):
            channel.writeAndFlush(ByteBuffer(string: answer), promise: nil)
            channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(2)) { task in
                guard channel.isActive else { return task.cancel() }
                channel.writeAndFlush(ByteBuffer(string: "0"), promise: nil)
            }
        case .reset(let answer):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer))).flatMap {
                (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                    ?? channel.eventLoop.makeSucceededVoidFuture()
            }.whenComplete { _ in channel.close(promise: nil) }
        case .endless:
            isEndless = true
            context.write(
                wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")), promise: nil
            )
            pour(context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isEndless { pour(context) }
    }

    private func pour(_ context: ChannelHandlerContext) {
        let piece = ByteBuffer(repeating: UInt8(ascii: "0"), count: 65_536)
        while context.channel.isWritable, context.channel.isActive {
            context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
