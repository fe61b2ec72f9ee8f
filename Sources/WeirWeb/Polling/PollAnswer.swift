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
