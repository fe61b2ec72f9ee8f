import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import WeirWeb

/// One stream of a connection of HTTP/2, which is held to the limits that a connection of HTTP/1.1 has.
struct SecureConnectionTests {
    /// Notes what comes through.
    private final class Inbox: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart
        var errors: [any Error] = []
        var events: [ConnectionEvent] = []

        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }
        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? ConnectionEvent { events.append(event) }
        }
    }

    /// A client's flow control: what is written waits until it is taken.
    private final class Window: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart
        private var waiting: [(NIOAny, EventLoopPromise<Void>?)] = []
        private(set) var taken = 0

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            waiting.append((data, promise))
        }

        func take(_ count: Int = .max) {
            for (data, promise) in waiting.prefix(count) {
                if case .body(let bytes) = unwrapOutboundIn(data) { taken += bytes.readableBytes }
                promise?.succeed()
            }
            waiting.removeFirst(min(count, waiting.count))
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            for (_, promise) in waiting { promise?.fail(ChannelError.ioOnClosedChannel) }
            waiting = []
        }
    }

    private final class Stream {
        let channel: EmbeddedChannel
        private let inbox = Inbox()

        init(holds: StreamHolds = StreamHolds()) throws {
            let inbox = inbox
            let handler = SecureConnectionHandler(
                .init(http1: { [] }, stream: { [inbox] }), holds: holds, limits: ConnectionLimits())
            channel = EmbeddedChannel(handler: handler)
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
            channel.read()
        }

        var errors: [any Error] { inbox.errors }
        var events: [ConnectionEvent] { inbox.events }

        /// The client begins a request with a body.
        func begin() throws {
            try send(.head(HTTPRequest(method: .post, scheme: "https", authority: "localhost", path: "/")))
        }

        /// A part comes, and the server reads on unless it has enough.
        func send(_ part: HTTPRequestPart, isServerReading: Bool = true) throws {
            try channel.writeInbound(part)
            if isServerReading { channel.read() }
        }

        /// The server answers with so many bytes.
        func answer(_ count: Int) {
            channel.pipeline.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
            channel.pipeline.write(
                HTTPResponsePart.body(ByteBuffer(repeating: 0x61, count: count)), promise: nil)
            channel.flush()
        }

        func pass(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

        func finish() { _ = try? channel.finish(acceptAlreadyClosed: true) }
    }

    private static let byte = HTTPRequestPart.body(ByteBuffer(string: "a"))

    @Test func `a body that is too slow is stopped for whoever reads it, and the stream ends a little later`() throws {
        let stream = try Stream()
        defer { stream.finish() }
        try stream.begin()
        try stream.send(Self.byte)
        stream.pass(28)
        #expect(stream.errors.isEmpty)
        // A byte now and then restores nearly nothing.
        try stream.send(Self.byte)
        stream.pass(3)
        stream.pass(5)
        #expect(stream.errors.count == 1)
        #expect(stream.errors.first as? BodyStop == .tooSlow)
        stream.pass(3)
        #expect(!stream.channel.isActive)
    }

    @Test func `a body that comes as fast as it should is never too slow, however long it takes`() throws {
        let stream = try Stream()
        defer { stream.finish() }
        try stream.begin()
        for _ in 0..<100 {
            stream.pass(20)
            try stream.send(.body(ByteBuffer(repeating: 0x61, count: 10_000)))
        }
        try stream.send(.end(nil))
        stream.pass(1_000)
        #expect(stream.errors.isEmpty && stream.channel.isActive)
    }

    @Test func `a body that the server does not read is not too slow`() throws {
        let stream = try Stream()
        defer { stream.finish() }
        try stream.begin()
        try stream.send(Self.byte, isServerReading: false)
        stream.pass(1_000)
        #expect(stream.errors.isEmpty && stream.channel.isActive)
    }

    /// A stream that is answered with a long answer, of which its client has taken nothing.
    private func exporting() throws -> (stream: Stream, window: Window) {
        let (stream, window) = (try Stream(), Window())
        try stream.channel.pipeline.syncOperations.addHandler(window, position: .first)
        try stream.send(.head(HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: "/runs/export")))
        try stream.send(.end(nil))
        stream.answer(1_000_000)
        return (stream, window)
    }

    @Test func `a client that takes nothing of an answer loses its stream after a stall, one that takes little never`()
        throws
    {
        let (stream, window) = try exporting()
        defer { stream.finish() }
        window.take(2)
        for _ in 0..<20 {
            stream.pass(25)
            window.take(1)
        }
        #expect(stream.channel.isActive && (1..<1_000_000).contains(window.taken))
        stream.pass(36)
        #expect(!stream.channel.isActive)
    }

    @Test func `a client that took its answer has no limit while the server makes the rest`() throws {
        let (stream, window) = try exporting()
        defer { stream.finish() }
        window.take()
        #expect(window.taken == 1_000_000)
        stream.pass(1_000)
        #expect(stream.channel.isActive)
    }

    @Test func `a body that still comes slowly behind its answer ends with its stream`() throws {
        let stream = try Stream()
        defer { stream.finish() }
        try stream.begin()
        stream.channel.pipeline.write(HTTPResponsePart.head(HTTPResponse(status: .contentTooLarge)), promise: nil)
        stream.channel.pipeline.write(HTTPResponsePart.end(nil), promise: nil)
        stream.channel.flush()
        stream.pass(36)
        #expect(stream.errors.isEmpty && !stream.channel.isActive)
    }

    @Test func `an answer has nothing that is of a connection, and says that browsers come encrypted`() throws {
        let stream = try Stream()
        defer { stream.finish() }
        try stream.begin()
        let fields: HTTPFields = [.connection: "close", .transferEncoding: "chunked"]
        stream.channel.pipeline.write(
            HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: fields)), promise: nil)
        stream.channel.flush()
        guard case .head(let head)? = try stream.channel.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("there is no answer")
            return
        }
        #expect(head.headerFields[.connection] == nil && head.headerFields[.transferEncoding] == nil)
        #expect(head.headerFields[.strictTransportSecurity] == "max-age=31536000")
        #expect(head.headerFields[.cacheControl] == "no-store")
    }

    @Test func `a body is stopped when its sender may not send it any more, and only while it comes`() throws {
        let stream = try Stream()
        defer { stream.finish() }
        stream.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.stopBody)
        #expect(stream.errors.isEmpty)
        try stream.begin()
        stream.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.stopBody)
        #expect(stream.errors.first as? BodyStop == .revoked)
    }

    @Test func `a stream that held nothing takes none of what others hold with it when it ends`() throws {
        let holds = StreamHolds()
        let stream = try Stream(holds: holds)
        // Another stream of the connection holds a poll.
        holds.opened(stream.channel)
        #expect(holds.begin(on: stream.channel))
        stream.finish()
        guard case .held? = holds.activity(of: stream.channel) else {
            Issue.record("It is \(String(describing: holds.activity(of: stream.channel))).")
            return
        }
    }

    @Test func `a poll that would take the last streams of its connection is asked to make room`() throws {
        let holds = StreamHolds()
        let stream = try Stream(holds: holds)
        defer { stream.finish() }
        stream.channel.pipeline.triggerUserOutboundEvent(ConnectionEvent.holdBegan, promise: nil)
        stream.channel.embeddedEventLoop.run()
        #expect(stream.events.isEmpty)
        stream.channel.pipeline.triggerUserOutboundEvent(ConnectionEvent.holdEnded, promise: nil)
        for _ in 0..<StreamHolds.limit { #expect(holds.begin(on: stream.channel)) }
        stream.channel.pipeline.triggerUserOutboundEvent(ConnectionEvent.holdBegan, promise: nil)
        stream.channel.embeddedEventLoop.run()
        #expect(stream.events.count == 1)
    }
}
