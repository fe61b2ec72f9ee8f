import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

@testable import WeirWeb

/// A connection without a socket, watched over as a server's are, with its time in hand.
final class EmbeddedConnection {
    /// What comes out behind the guard.
    private final class Inbox: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        var paths: [String] = []
        var bodies = 0
        var errors: [any Error] = []
        var events: [any Sendable] = []
        var hasEnded = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): paths.append(head.path ?? "")
            case .body(let piece): bodies += piece.readableBytes
            case .end: break
            }
        }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }
        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? ConnectionEvent { events.append(event) }
            if event as? ChannelEvent == .inputClosed { hasEnded = true }
        }
    }

    /// Closes its output alone, as a socket can and an embedded channel cannot.
    private final class Output: ChannelOutboundHandler {
        typealias OutboundIn = Never

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if case .output = mode { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
        }
    }

    let channel = EmbeddedChannel()
    let registry = ConnectionRegistry()
    private let inbox = Inbox()
    private let watch: ConnectionGuard

    init(_ limits: ConnectionLimits, isUnencrypted: Bool = false) throws {
        watch = ConnectionGuard(limits: limits, registry: registry, isUnencrypted: isUnencrypted)
        let operations = channel.pipeline.syncOperations
        try operations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false)
        try operations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try operations.addHandler(watch)
        try operations.addHandler(inbox)
        try operations.addHandler(Output(), position: .first)
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
        channel.read()
    }

    /// The paths of the requests that came through.
    var paths: [String] { inbox.paths }
    /// How many bytes of bodies came through.
    var bodies: Int { inbox.bodies }
    /// What whoever reads the requests was told to be wrong.
    var errors: [any Error] { inbox.errors }
    var events: [any Sendable] { inbox.events }
    var isOpen: Bool { channel.isActive }
    /// Whom the connection waits for.
    var activity: ConnectionMachine.Activity? { watch.activity() }
    /// Whether those who read the requests were told that no more come.
    var hasInputEnded: Bool { inbox.hasEnded }

    /// The client sends, and the server reads on unless it has enough.
    func send(_ text: String, isServerReading: Bool = true) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        if isServerReading { channel.read() }
    }

    /// The client sends nothing any more.
    func endInput() { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }

    /// Time passes.
    func pass(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    /// The server answers the oldest request.
    func answer(_ body: String = "", flushes: Bool = true) {
        let fields: HTTPFields = [.contentLength: String(body.utf8.count)]
        channel.pipeline.write(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: fields)), promise: nil)
        channel.pipeline.write(HTTPResponsePart.body(ByteBuffer(string: body)), promise: nil)
        channel.pipeline.write(HTTPResponsePart.end(nil), promise: nil)
        if flushes { channel.flush() }
    }

    /// The server refuses something, and says that the connection ends.
    func refuse(_ status: HTTPResponse.Status, flushes: Bool = true) {
        let response = HTTPResponse(status: status, headerFields: [.connection: "close", .contentLength: "0"])
        channel.pipeline.write(HTTPResponsePart.head(response), promise: nil)
        channel.pipeline.write(HTTPResponsePart.end(nil), promise: nil)
        if flushes { channel.flush() }
    }

    /// What the client has received since it was last asked.
    func received() throws -> String {
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    func finish() { _ = try? channel.finish(acceptAlreadyClosed: true) }
}
