import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A connection of HTTP/1.1 that is not encrypted.
///
/// It has an asynchronous half, which is a task and the streams that feed it, only from the first request on that needs one: a
/// connection that has only ever held polls goes without.
struct PlainChannel: HTTPChannelHandler {
    /// An open connection.
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    let responder: Responder
    private let tasks: ConnectionTasks
    private let handlers: @Sendable () -> [any ChannelHandler]

    /// Makes the connections of a server; `handlers` stand between the codec and the asynchronous half.
    init(
        responder: @escaping Responder, tasks: ConnectionTasks,
        handlers: @escaping @Sendable () -> [any ChannelHandler]
    ) {
        self.responder = responder
        self.tasks = tasks
        self.handlers = handlers
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = 16_384
            limits.maxHeaderListSize = 32_768
            limits.maxHeaderFieldCount = 100
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(AbsoluteTarget())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandlers(handlers())
            try pipeline.addHandler(
                ConnectionTaskStarter { connection in
                    tasks.add { await handleHTTP(asyncChannel: connection, logger: logger) }
                } stateHandler: {
                    HTTPConnectionStateHandler(logger: logger)
                })
            try channel.syncOptions?.setOption(.recvAllocator, value: UnpooledReads())
            return Value(channel: channel)
        }
    }

    /// Nothing runs for a connection as such.
    func handle(value: Value, logger: Logger) async {}
}

/// Where a connection reads to: each read has a buffer of its own, so that a connection that waits keeps none.
///
/// A channel keeps the first buffer that it is given, so that one is small.
struct UnpooledReads: RecvByteBufferAllocator {
    private var sizes = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 65_536)
    private var isFirst = true

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        isFirst ? allocator.buffer(capacity: 16) : sizes.buffer(allocator: allocator)
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        if !isFirst { _ = sizes.record(actualReadBytes: actualReadBytes) }
        isFirst = false
        // As if the next were always larger: the last buffer is not used again.
        return true
    }

    func nextBufferSize() -> Int? { nil }
}
