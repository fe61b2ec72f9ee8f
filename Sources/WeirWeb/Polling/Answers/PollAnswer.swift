import HTTPTypes
import NIOCore

/// The answer to a poll, ready to be written: its bytes and what a cache may do with them.
struct PollAnswer: TailAnswer {
    /// What a cache may do with an answer.
    enum Caching: String, Sendable {
        /// Kept longer than a hold lasts, because caches count the wait into the age.
        case hold = "public, max-age=20"
        case foreignEpoch = "public, max-age=5"
        case brief = "public, max-age=1"
        case never = "no-store"
        /// For one audience only: no cache keeps it, and no proxy shares it.
        case personal = "private, no-store"
    }

    var status = HTTPResponse.Status.ok
    var body: ByteBuffer
    let caching: Caching
    /// Whether the connection ends with this answer.
    let closes: Bool
    /// Whether the body is compressed with gzip.
    var isCompressed = false
    /// The whole answer as HTTP/1.1 writes it, where many are given the same.
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
            // Not said of the others, which everybody can read: a cache without codings has one answer for all.
            fields[.vary] = "Accept-Encoding"
        }
        return fields
    }

    var contentType: String { status == .ok ? "application/json" : "application/problem+json" }

    /// Nobody may send this poll, or not any more.
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
