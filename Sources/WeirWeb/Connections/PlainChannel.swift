import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Makes the connections of HTTP/1.1 that are not encrypted.
///
/// A connection has a parser, an encoder and an asynchronous half, which is a task and the streams that feed it, only from the first
/// request on that needs one: one that has only ever sent known polls goes without all of them, one that has only ever held polls
/// without the asynchronous half.
final class PlainChannel: HTTPChannelHandler, HTTPCodecInstaller {
    /// An open connection.
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    let responder: Responder
    private let tasks: ConnectionTasks
    private let logger: Logger
    private let handlers: @Sendable (PlainChannel) -> [any ChannelHandler]

    /// Makes the connections of a server; `handlers` are there from the beginning, and have the rest installed.
    init(
        responder: @escaping Responder, tasks: ConnectionTasks, logger: Logger,
        handlers: @escaping @Sendable (PlainChannel) -> [any ChannelHandler]
    ) {
        self.responder = responder
        self.tasks = tasks
        self.logger = logger
        self.handlers = handlers
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers(handlers(self))
            try channel.syncOptions?.setOption(.recvAllocator, value: UnpooledReads())
            return Value(channel: channel)
        }
    }

    func install(
        on channel: any Channel, between bytes: some ChannelHandler, and requests: some ChannelHandler
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16_384
        limits.maxHeaderListSize = 32_768
        limits.maxHeaderFieldCount = 100
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
            position: .after(bytes), withPipeliningAssistance: false, withErrorHandling: false,
            withOutboundHeaderValidation: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: limits)
        try pipeline.addHandlers(
            [AbsoluteTarget(), HTTP1ToHTTPServerCodec(secure: false)], position: .before(requests))
        try pipeline.addHandler(
            ConnectionTaskStarter { [self] connection in
                tasks.add { await self.handleHTTP(asyncChannel: connection, logger: self.logger) }
            } stateHandler: { [logger] in
                HTTPConnectionStateHandler(logger: logger)
            })
    }

    /// Nothing runs for a connection as such.
    func handle(value: Value, logger: Logger) async {}
}

/// Puts what parses and encodes HTTP on a connection that has begun without it.
protocol HTTPCodecInstaller: AnyObject {
    /// Installs it between what knows bytes and what knows requests, and behind that whatever takes the requests.
    func install(on channel: any Channel, between bytes: some ChannelHandler, and requests: some ChannelHandler) throws
}

/// Where a connection reads to: each read has a buffer of its own, so that a connection that waits keeps none.
///
/// A channel keeps the first buffer that it is given, so that one is small.
struct UnpooledReads: RecvByteBufferAllocator {
    private var sizes = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1_024, maximum: 65_536)
    private var isFirst = true
    /// How many bytes are read first.
    private static let first = 16

    /// Whether what was read first is the beginning of a request to read something, and most likely cut off.
    static func isCut(_ bytes: ByteBuffer) -> Bool {
        bytes.readableBytes == first && bytes.readableBytesView.starts(with: "GET ".utf8)
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        isFirst ? allocator.buffer(capacity: Self.first) : sizes.buffer(allocator: allocator)
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        if !isFirst { _ = sizes.record(actualReadBytes: actualReadBytes) }
        isFirst = false
        // As if the next were always larger: the last buffer is not used again.
        return true
    }

    func nextBufferSize() -> Int? { nil }
}
