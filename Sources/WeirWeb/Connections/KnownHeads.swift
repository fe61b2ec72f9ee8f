import HTTPTypes
import NIOCore

/// The heads that viewers send again and again, so that their polls need not be parsed anew.
///
/// The requests of a viewer differ in their first line alone, and all viewers of a page ask for the same. Both the first line and the
/// fields below it are looked up by their bytes as they came: equal bytes were parsed, checked and understood before. What depends
/// on the moment, such as the rights of whoever asks, is not kept.
///
/// Heads with credentials of programs are not kept. Of the others at most `limit` are, the least used are forgotten first, and each
/// has at most `longest` bytes.
final class KnownHeads: Sendable {
    /// How many heads are kept.
    static let limit = 4_096
    /// The longest request that is looked up, in bytes.
    static let longest = 4_096
    /// How many different requests are kept.
    private static let requestLimit = 512

    /// A request that was recognised.
    struct Known: Sendable {
        let request: PollRequest
        fileprivate let head: HTTPRequest
        fileprivate let target: ByteBuffer

        /// The request as it would have been parsed.
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
        /// The edition of what every request must fulfil by which the head was found in order.
        let edition: Int
    }

    private let edition: @Sendable () -> Int
    private let heads = GenerationCache<HeadKey, Head>(limit: limit)
    private let requests = GenerationCache<ByteBuffer, PollRequest>(limit: requestLimit)

    /// `edition` changes when what every request must fulfil changes.
    init(edition: @escaping @Sendable () -> Int) { self.edition = edition }

    /// The poll that some bytes are, if they are one whole request with a known first line and known fields.
    func recognize(_ bytes: ByteBuffer) -> Known? {
        guard let (target, fields) = Self.split(bytes), var request = requests.known(target),
            let head = heads.known(HeadKey(fields: fields, edition: edition()))
        else { return nil }
        request.takesGzip = head.takesGzip
        return Known(request: request, head: head.head, target: target)
    }

    /// Keeps a poll that was parsed from these bytes, which were this one request and nothing else.
    func remember(_ bytes: ByteBuffer, as request: PollRequest, _ head: HTTPRequest) {
        guard let (target, fields) = Self.split(bytes), String(buffer: target) == head.path,
            head.headerFields[.authorization] == nil
        else { return }
        let takesGzip = request.takesGzip
        // Copies, since the bytes are a slice of all that was read.
        _ = requests.value(for: ByteBuffer(bytes: target.readableBytesView), cost: { _ in 1 }) { request }
        let key = HeadKey(fields: ByteBuffer(bytes: fields.readableBytesView), edition: edition())
        _ = heads.value(for: key, cost: { _ in 1 }) { Head(head: head, takesGzip: takesGzip) }
    }

    /// Divides `GET {target} HTTP/1.1` from the fields below it; nil for bytes that begin or end otherwise.
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
