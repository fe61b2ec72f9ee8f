import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

/// Sets up unencrypted HTTP/1.1 connections.
///
/// A connection gets a parser and an encoder with its first request that is not a known poll, and a task with its streams only
/// with the first request that is not a held poll.
final class PlainChannel: HTTPChannelHandler, HTTPCodecInstaller {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    let responder: Responder
    private let tasks: ConnectionTasks
    private let logger: Logger
    private let handlers: @Sendable (PlainChannel) -> [any ChannelHandler]

    /// Creates the setup of a server; `handlers` are added to each new connection and install the rest on demand.
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
            [ParsedHeadCheck(), HTTP1ToHTTPServerCodec(secure: false)], position: .before(requests))
        try pipeline.addHandler(
            ConnectionTaskStarter { [self] connection in
                tasks.add { await self.handleHTTP(asyncChannel: connection, logger: self.logger) }
            } stateHandler: { [logger] in
                HTTPConnectionStateHandler(logger: logger)
            })
    }

    /// Connections start their tasks on demand.
    func handle(value: Value, logger: Logger) async {}
}

protocol HTTPCodecInstaller: AnyObject {
    /// Installs the codec between a handler of bytes and a handler of requests, followed by the receivers of requests.
    func install(on channel: any Channel, between bytes: some ChannelHandler, and requests: some ChannelHandler) throws
}

/// Allocates a new buffer for each read, so that a waiting connection keeps none; the first one, which the channel keeps, is
/// small.
struct UnpooledReads: RecvByteBufferAllocator {
    private var sizes = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1_024, maximum: 65_536)
    private var isFirst = true
    private static let first = 16

    /// Whether the first read is most likely the truncated start of a GET request.
    static func isCut(_ bytes: ByteBuffer) -> Bool {
        bytes.readableBytes == first && bytes.readableBytesView.starts(with: "GET ".utf8)
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        isFirst ? allocator.buffer(capacity: Self.first) : sizes.buffer(allocator: allocator)
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        if !isFirst { _ = sizes.record(actualReadBytes: actualReadBytes) }
        isFirst = false
        // Reports a larger next size, so that the channel does not reuse the last buffer.
        return true
    }

    func nextBufferSize() -> Int? { nil }
}

/// Runs tasks that event loops start; `run()` must be running, and returns after `finish()`, when all tasks have ended.
final class ConnectionTasks: Sendable {
    private let tasks: AsyncStream<@Sendable () async -> Void>
    private let source: AsyncStream<@Sendable () async -> Void>.Continuation

    private let count = Atomic<Int>(0)

    var begun: Int { count.load(ordering: .relaxed) }

    init() {
        (tasks, source) = AsyncStream.makeStream()
    }

    func add(_ task: @escaping @Sendable () async -> Void) {
        count.add(1, ordering: .relaxed)
        if case .enqueued = source.yield(task) { return }
        // The server is shutting down and closes its connections; their tasks must still run to completion.
        Task { await task() }
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            for await task in tasks { group.addTask(operation: task) }
        }
    }

    func finish() { source.finish() }
}

/// The last handler of a connection without a task: starts one when the first part of a request arrives.
final class ConnectionTaskStarter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let start: (NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) -> Void
    private let stateHandler: () -> any ChannelHandler

    /// Creates the handler; `start` starts the task, and `stateHandler` creates the handler that closes the idle connection.
    init(
        start: @escaping (NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) -> Void,
        stateHandler: @escaping () -> any ChannelHandler
    ) {
        self.start = start
        self.stateHandler = stateHandler
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(stateHandler(), position: .after(self))
            start(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: context.channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)))
        } catch {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
        pipeline.removeHandler(self, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // No request is in progress, or a task would handle the event.
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else {
            context.close(promise: nil)
            return
        }
        let fields: HTTPFields = [.connection: "close", .contentLength: "0"]
        context.write(wrapOutboundOut(.head(HTTPResponse(status: .badRequest, headerFields: fields))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
