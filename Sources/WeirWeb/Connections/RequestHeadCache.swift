import HTTPTypes
import NIOCore

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
