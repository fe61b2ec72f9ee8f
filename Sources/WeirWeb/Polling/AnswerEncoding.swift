import CZlib
import HTTPTypes
import NIOCore
import WeirJournals
import WeirPages

/// The response to a poll: its bytes and its cache policy.
struct PollAnswer: HeldAnswer {
    enum Caching: String, Sendable {
        /// Longer than a hold, because caches include the wait in the age.
        case hold = "public, max-age=20"
        case foreignEpoch = "public, max-age=5"
        case brief = "public, max-age=1"
        case never = "no-store"
        /// For a single audience: neither caches nor proxies store it.
        case personal = "private, no-store"
    }

    var status = HTTPResponse.Status.ok
    var body: ByteBuffer
    let caching: Caching
    let closes: Bool
    var isCompressed = false
    /// The complete HTTP/1.1 response, if many clients receive the same bytes.
    var message: ByteBuffer?

    init(body: ByteBuffer, caching: Caching, closes: Bool = false) {
        self.body = body
        self.caching = caching
        self.closes = closes
    }

    var fields: HTTPFields {
        var fields: HTTPFields = [.contentType: contentType, .cacheControl: caching.rawValue]
        if isCompressed {
            fields[.contentEncoding] = "gzip"
            // Uncompressed responses omit this: every client can read them, and a cache without codings keeps one response
            // for all.
            fields[.vary] = "Accept-Encoding"
        }
        return fields
    }

    var contentType: String { status == .ok ? "application/json" : "application/problem+json" }

    /// The response to a poll without a valid session.
    static let refused: PollAnswer = {
        var body = ByteBuffer()
        body.writeString(#"{"type":"urn:weir:problem:unauthenticated","title":"Sign in","status":401,"detail":"#)
        body.writeJSON(Problem.unauthenticated.detail)
        body.writeString("}\n")
        var answer = PollAnswer(body: body, caching: .never)
        answer.status = .unauthorized
        return answer
    }()
}

/// The JSON object around the events of a poll's response.
///
/// ```json
/// {"v":1,"k":"batch","e":"k3f9","from":1041,"to":1042,"more":false,
///  "ev":[[1042,"run-17",8,[["m","run-17","<article id=\"run-17\">…</article>"]]]],
///  "next":"/live/1/board/k3f9/1042/136123","now":"/live/1/board/k3f9/1042/now","snap":"/live/1/board/snap"}
/// ```
/// `k` is `batch`, `empty`, `end`, `reset` or `drain`.
/// - `why`, with `reset`: `gap`, `epoch`, `future`, `audience` or `catalog`.
/// - `lost`, with a gap: the first and last lost sequence.
/// - `retry`, with `drain`, and with `empty` if too many polls are held: the bounds of the delay before `next`, in
///   milliseconds.
/// - `notice`, with `batch`, `empty` and `drain`: the content of the page's `notice` element, which is empty without it. With
///   a `reset` because of the epoch: a permanent notice that the history was replaced, shown unless the page has another
///   notice.
/// - `unfinished`, with `batch` and `empty` on an output's feed: the content of the page's `output-unfinished` element.
/// - `viewers`, with `empty` on a store's feed, for named users: the new content of the page's `viewers` element.
struct PollEnvelope: Sendable {
    enum Kind: String, Sendable { case batch, empty, end, reset, drain }
    enum Reason: String, Sendable { case gap, epoch, future, audience, catalog }

    var kind: Kind
    var epoch: String
    var from: SequenceNumber
    var to: SequenceNumber
    var more = false
    var reason: Reason?
    var lost: ClosedRange<SequenceNumber>?
    var retry: ClosedRange<Int64>?
    var notice: String?
    var viewers: String?
    var unfinished: String?
    var next: String
    var now: String
    var snap: String

    func encode(events: [ByteBuffer] = []) -> ByteBuffer {
        var json = ByteBuffer()
        json.reserveCapacity(320 + events.reduce(0) { $0 + $1.readableBytes + 1 })
        json.writeString(#"{"v":1,"k":""#)
        json.writeString(kind.rawValue)
        json.writeString(#"","e":"\#(epoch)","from":\#(from),"to":\#(to),"more":\#(more)"#)
        if let reason { json.writeString(#","why":"\#(reason.rawValue)""#) }
        if let lost { json.writeString(#","lost":[\#(lost.lowerBound),\#(lost.upperBound)]"#) }
        if let retry { json.writeString(#","retry":[\#(retry.lowerBound),\#(retry.upperBound)]"#) }
        if let notice {
            json.writeString(#","notice":"#)
            json.writeJSON(notice)
        }
        if let viewers {
            json.writeString(#","viewers":"#)
            json.writeJSON(viewers)
        }
        if let unfinished {
            json.writeString(#","unfinished":"#)
            json.writeJSON(unfinished)
        }
        json.writeString(#","ev":["#)
        for (index, event) in events.enumerated() {
            if index > 0 { json.writeString(",") }
            json.writeImmutableBuffer(event)
        }
        json.writeString(#"],"next":"#)
        json.writeJSON(next)
        json.writeString(#","now":"#)
        json.writeJSON(now)
        json.writeString(#","snap":"#)
        json.writeJSON(snap)
        json.writeString("}")
        return json
    }
}

extension ByteBuffer {
    /// Writes a quoted JSON string, escaping only the characters that RFC 8259 requires.
    mutating func writeJSON(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            writeInteger(UInt8(ascii: "\""))
            var start = bytes.startIndex
            for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x22 || bytes[index] == 0x5c {
                writeBytes(bytes[start..<index])
                start = index + 1
                switch bytes[index] {
                case UInt8(ascii: "\""): writeString(#"\""#)
                case UInt8(ascii: "\\"): writeString(#"\\"#)
                case UInt8(ascii: "\n"): writeString(#"\n"#)
                case UInt8(ascii: "\r"): writeString(#"\r"#)
                case UInt8(ascii: "\t"): writeString(#"\t"#)
                case let other: writeString(#"\u00"# + (other < 16 ? "0" : "") + String(other, radix: 16))
                }
            }
            writeBytes(bytes[start...])
            writeInteger(UInt8(ascii: "\""))
        }
    }
}

extension ByteBuffer {
    mutating func write(_ patches: [Patch]) {
        writeString("[")
        for (index, patch) in patches.enumerated() {
            writeString(index > 0 ? ",[" : "[")
            for (index, member) in patch.members.enumerated() {
                if index > 0 { writeString(",") }
                write(member)
            }
            writeString("]")
        }
        writeString("]")
    }

    private mutating func write(_ member: Patch.Member) {
        switch member {
        case .text(let text): writeJSON(text)
        case .attributes(let attributes):
            writeString("{")
            for (index, (name, value)) in attributes.enumerated() {
                if index > 0 { writeString(",") }
                writeJSON(name)
                writeString(":")
                if let value { writeJSON(value) } else { writeString("null") }
            }
            writeString("}")
        case .optional: writeString("1")
        }
    }
}

/// An encoded answer to a tail.
protocol HeldAnswer: Sendable {
    var status: HTTPResponse.Status { get }
    var fields: HTTPFields { get }
    var body: ByteBuffer { get }
    var closes: Bool { get }
    /// The complete HTTP/1.1 message if several clients share it, or nil if it is encoded per client.
    var message: ByteBuffer? { get }
}

extension HeldAnswer {
    /// The response head at a time in milliseconds since 1970.
    func head(at wall: Int64) -> HTTPResponse {
        var fields = fields
        // A 204 response has no `Content-Length` (RFC 9110, section 8.6).
        if status != .noContent { fields[.contentLength] = String(body.readableBytes) }
        fields[.date] = HTTPDate.text(wall)
        SecurityHeaders.add(to: &fields, isPage: false)
        return HTTPResponse(status: status, headerFields: fields)
    }

    /// The complete HTTP/1.1 message (RFC 9112) for a connection that stays open.
    func encoded(at wall: Int64) -> ByteBuffer {
        let head = head(at: wall)
        var message = ByteBuffer()
        message.reserveCapacity(512 + body.readableBytes)
        message.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        for field in head.headerFields { message.writeString("\(field.name.rawName): \(field.value)\r\n") }
        message.writeString("\r\n")
        message.writeImmutableBuffer(body)
        return message
    }
}

/// Compresses to the gzip format (RFC 1952) with zlib.
///
/// A body consists of parts that are compressed independently. A shared part is compressed once and reused, and
/// request-specific parts are stored uncompressed in between. The result is a single gzip member whose checksum is combined
/// from those of the parts.
enum Gzip {
    struct Part: Sendable {
        /// Deflate blocks (RFC 1951) that end on a byte boundary; none is marked final.
        fileprivate let blocks: ByteBuffer
        fileprivate let checksum: UInt
        /// The uncompressed length in bytes.
        fileprivate let length: Int

        var size: Int { blocks.readableBytes }

        /// Compresses bytes at a level from 1, fastest, to 9, smallest; returns nil if memory is exhausted.
        init?(compressing bytes: ByteBuffer, level: Int32 = Z_DEFAULT_COMPRESSION) {
            guard let blocks = Gzip.deflate(bytes, level: level) else { return nil }
            self.blocks = blocks
            checksum = Gzip.checksum(of: bytes)
            length = bytes.readableBytes
        }

        /// Stores text uncompressed.
        init(stored text: String) {
            let bytes = ByteBuffer(string: text)
            var rest = bytes
            var blocks = ByteBuffer()
            while let block = rest.readSlice(length: min(rest.readableBytes, 65_535)), block.readableBytes > 0 {
                let length = UInt16(truncatingIfNeeded: block.readableBytes)
                blocks.writeBytes([0])
                blocks.writeInteger(length, endianness: .little)
                blocks.writeInteger(~length, endianness: .little)
                blocks.writeImmutableBuffer(block)
            }
            self.blocks = blocks
            checksum = Gzip.checksum(of: bytes)
            length = bytes.readableBytes
        }
    }

    static func body(of parts: some Collection<Part>) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(parts.reduce(20) { $0 + $1.size })
        // No name and no time, so that output is deterministic; 255 is an unknown operating system.
        body.writeBytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
        var (checksum, length) = (crc32(0, nil, 0), 0)
        for part in parts {
            body.writeImmutableBuffer(part.blocks)
            checksum = crc32_combine(checksum, part.checksum, part.length)
            length += part.length
        }
        // An empty final block.
        body.writeBytes([3, 0])
        body.writeInteger(UInt32(truncatingIfNeeded: checksum), endianness: .little)
        body.writeInteger(UInt32(truncatingIfNeeded: length), endianness: .little)
        return body
    }

    /// The compressed bytes, or nil if they are not smaller.
    static func compress(_ bytes: ByteBuffer, level: Int32 = Z_DEFAULT_COMPRESSION) -> ByteBuffer? {
        guard let part = Part(compressing: bytes, level: level) else { return nil }
        let body = body(of: CollectionOfOne(part))
        return body.readableBytes < bytes.readableBytes ? body : nil
    }

    // Unsafe memory: zlib receives the sizes of both buffers, and neither outlives its closure.
    private static func checksum(of bytes: ByteBuffer) -> UInt {
        bytes.withUnsafeReadableBytes { bytes in
            crc32_z(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
    }

    private static func deflate(_ bytes: ByteBuffer, level: Int32) -> ByteBuffer? {
        var stream = z_stream()
        // A negative value selects raw deflate without a header.
        let began = deflateInit2_(
            &stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(clamping: MemoryLayout<z_stream>.size))
        guard began == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var blocks = ByteBuffer()
        // The sync flush adds a few bytes beyond the bound.
        let room = Int(clamping: deflateBound(&stream, UInt(clamping: bytes.readableBytes))) + 64
        let isDone = bytes.withUnsafeReadableBytes { input in
            blocks.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { output in
                // zlib does not write to its input; its declaration merely lacks `const`.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(clamping: output.count)
                _ = CZlib.deflate(&stream, Z_SYNC_FLUSH)
                return output.count - Int(clamping: stream.avail_out)
            }
            return stream.avail_in == 0 && stream.avail_out > 0
        }
        return isDone ? blocks : nil
    }
}

/// Parses `Accept-Encoding` (RFC 9110, section 12.5.3).
enum AcceptedCoding {
    static func isGzip(_ header: String?) -> Bool {
        guard let header else { return false }
        // A fast path for the headers that browsers send.
        if header == "gzip" || (header.hasPrefix("gzip,") && !header.contains(";")) { return true }
        var (named, isAllowed): (Bool?, Bool) = (nil, false)
        for choice in header.split(separator: ",") {
            let parts = choice.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
            guard let coding = parts.first, ["gzip", "x-gzip", "*"].contains(coding) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            let isTaken = weight != 0
            // An entry for gzip overrides the wildcard; `x-gzip` is the same coding, and a refusal of either counts.
            if coding == "*" { isAllowed = isTaken } else { named = isTaken && named != false }
        }
        return named ?? isAllowed
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
