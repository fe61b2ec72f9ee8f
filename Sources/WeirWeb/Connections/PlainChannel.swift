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

/// Evaluates the parts of a request's head that the types after the HTTP/1 codec drop: the authority of a target in absolute
/// form (`GET http://name/path`), and the version.
///
/// If `Host` differs from the authority, a second `Host` is added, which `RequestCheck` refuses (RFC 9112, section 3.2.2). If
/// the parser ends the connection after the request, `Connection` becomes exactly `close`, so that the answer says so.
final class ParsedHeadCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        if let host = head.headers["Host"].first, !Self.agrees(head.uri, with: host) {
            head.headers.add(name: "Host", value: "-")
        }
        if Self.endsConnection(head) { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    static func agrees(_ target: String, with host: String) -> Bool {
        if target.hasPrefix("/") || target == "*" { return true }
        let lowercased = target.lowercased()
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where lowercased.hasPrefix(scheme) {
            let authority = lowercased.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
            let names = [String(authority), host.lowercased()]
                .map { $0.hasSuffix(port) ? String($0.dropLast(port.count)) : $0 }
            return names[0] == names[1]
        }
        return false
    }

    /// Whether NIO's parser refuses every byte after this request.
    ///
    /// An answer without `Connection: close` invites a proxy to send its next request on the same connection, such as nginx with
    /// `proxy_http_version 1.0`. The parser also reads `Proxy-Connection`.
    static func endsConnection(_ head: HTTPRequestHead) -> Bool {
        let isOld = head.version != .http1_1
        guard isOld || head.headers.contains(name: "Connection") || head.headers.contains(name: "Proxy-Connection")
        else { return false }
        let options = (head.headers[canonicalForm: "Connection"] + head.headers[canonicalForm: "Proxy-Connection"])
            .map { $0.lowercased() }
        return isOld ? !options.contains("keep-alive") : options.contains("close")
    }

    final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        func handlerAdded(context: ChannelHandlerContext) {
            let pipeline = context.pipeline.syncOperations
            do {
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try pipeline.addHandler(ParsedHeadCheck(), position: .after(decoder))
            } catch {
                // HTTP/2 has neither.
            }
        }
    }
}

/// Caches the heads of polls that viewers repeat, so that equal bytes are not parsed again.
///
/// A viewer's requests differ only in the first line, and viewers of a page send the same first line. The first line and the
/// header fields are therefore looked up separately by their raw bytes. Only results of parsing and checking are cached, and
/// nothing that changes over time, such as the sender's rights.
///
/// Heads with an `Authorization` field are not cached. At most `limit` heads of at most `longest` bytes are kept; the least
/// recently used are evicted first.
final class RequestHeadCache: Sendable {
    static let limit = 4_096
    static let longest = 4_096
    private static let requestLimit = 512

    struct Known: Sendable {
        let request: PollRequest
        fileprivate let head: HTTPRequest
        fileprivate let target: ByteBuffer

        var parsed: HTTPRequest {
            var head = head
            head.path = String(buffer: target)
            return head
        }
    }

    private struct Head {
        let head: HTTPRequest
        let takesGzip: Bool
    }

    private struct HeadKey: Hashable {
        let fields: ByteBuffer
        /// The edition of the request checks that the head passed.
        let edition: Int
    }

    private let edition: @Sendable () -> Int
    private let heads = GenerationCache<HeadKey, Head>(limit: limit)
    private let requests = GenerationCache<ByteBuffer, PollRequest>(limit: requestLimit)

    /// Creates an empty cache; `edition` changes whenever the request checks change.
    init(edition: @escaping @Sendable () -> Int) { self.edition = edition }

    /// Returns the poll if the bytes are exactly one request with a known first line and known fields.
    func recognize(_ bytes: ByteBuffer) -> Known? {
        guard let (target, fields) = Self.split(bytes), var request = requests.known(target),
            let head = heads.known(HeadKey(fields: fields, edition: edition()))
        else { return nil }
        request.takesGzip = head.takesGzip
        return Known(request: request, head: head.head, target: target)
    }

    /// Caches a parsed poll; the bytes must be exactly this request.
    func remember(_ bytes: ByteBuffer, as request: PollRequest, _ head: HTTPRequest) {
        guard let (target, fields) = Self.split(bytes), String(buffer: target) == head.path,
            head.headerFields[.authorization] == nil
        else { return }
        let takesGzip = request.takesGzip
        // Copies, because the slices keep the whole read buffer alive.
        _ = requests.value(for: ByteBuffer(bytes: target.readableBytesView), cost: { _ in 1 }) { request }
        let key = HeadKey(fields: ByteBuffer(bytes: fields.readableBytesView), edition: edition())
        _ = heads.value(for: key, cost: { _ in 1 }) { Head(head: head, takesGzip: takesGzip) }
    }

    /// Splits a request into the target of `GET {target} HTTP/1.1` and its header fields; nil for other requests.
    private static func split(_ bytes: ByteBuffer) -> (target: ByteBuffer, fields: ByteBuffer)? {
        let view = bytes.readableBytesView
        guard view.count <= longest, view.starts(with: method), view.suffix(end.count).elementsEqual(end) else {
            return nil
        }
        let line = view.dropFirst(method.count)
        guard let space = line.firstIndex(of: UInt8(ascii: " ")), line[space...].starts(with: version) else {
            return nil
        }
        return (ByteBuffer(line[..<space]), ByteBuffer(line[space...].dropFirst(version.count)))
    }

    private static let method = Array("GET ".utf8)
    private static let version = Array(" HTTP/1.1\r\n".utf8)
    private static let end = Array("\r\n\r\n".utf8)
}

extension ConnectionGuard {
    func setPolls(_ handler: HeldPollHandler?) { polls = handler }

    /// Returns the request if the bytes are a known poll that can be answered now.
    func recognize(_ bytes: ByteBuffer) -> RequestHeadCache.Known? {
        guard let heads, let polls, context != nil, machine.unanswered == 0, !machine.isReadingRequest, !isClosing,
            !isDiscarding, polls.isIdle
        else { return nil }
        return heads.recognize(bytes)
    }

    func answer(_ known: RequestHeadCache.Known) {
        guard let context, let polls else { return }
        machine.requestBegan(bodyLength: 0, now: context.eventLoop.now)
        machine.requestEnded(now: context.eventLoop.now)
        polls.answer(known)
    }

    /// Records a parsed poll as a candidate for the cache.
    func parsed(_ request: PollRequest, _ head: HTTPRequest) {
        // With pipelined requests, the bytes of each one are unknown.
        if heads != nil, machine.unanswered == 1 { parsedPoll = (request, head) }
    }

    func parsingBegan() { parsedPoll = nil }

    /// Caches the parsed poll; `bytes` is nil if the parser received anything but one request.
    func parsingEnded(_ bytes: ByteBuffer?) {
        guard let (request, head) = parsedPoll else { return }
        parsedPoll = nil
        if let bytes { heads?.remember(bytes, as: request, head) }
    }

    /// Whether no HTTP codec is installed yet.
    var isBare: Bool { codec != nil }

    /// Installs the HTTP codec if it is missing; returns false and closes the connection on failure.
    func installCodec() -> Bool {
        guard let codec else { return true }
        self.codec = nil
        guard let context, let throttle else { return false }
        do {
            try codec.install(on: context.channel, between: throttle, and: self)
            return true
        } catch {
            context.close(promise: nil)
            return false
        }
    }
}
