import HTTPTypes
import NIOCore

/// The answer to a reader of a stream, ready to be written.
struct StreamAnswer: TailAnswer {
    /// What a cache may do with an answer.
    enum Caching: String, Sendable {
        /// What stands between two places never changes (section 10.1).
        case lasting = "public, max-age=60, stale-while-revalidate=300"
        /// A wait without news: as long as its cursor lasts, counted from when it was asked for.
        case hold = "public, max-age=20"
        /// Asked for anew each time.
        case fresh = "no-cache"
        case never = "no-store"
        /// Not for everybody.
        case personal = "private, no-store"
    }

    var status = HTTPResponse.Status.ok
    var fields: HTTPFields
    var body = ByteBuffer()
    /// Whether the connection ends with this answer.
    var closes = false
    /// The whole answer as HTTP/1.1 writes it, where many are given the same.
    var message: ByteBuffer?

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields, caching: Caching, body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.fields = fields
        self.fields[.cacheControl] = caching.rawValue
        self.body = body
    }

    /// Nobody may read this, or not any more.
    static let refused: StreamAnswer = {
        let refused = PollAnswer.refused
        return StreamAnswer(
            refused.status, [.contentType: refused.contentType], caching: .never, body: refused.body)
    }()

    /// Others need the connection: come back after a while, on another one.
    static let crowded: StreamAnswer = {
        let problem = Problem.crowdedStreams
        var body = ByteBuffer(string: "{\"type\":\"urn:weir:problem:\(problem.kind)\",\"title\":")
        body.writeJSON(problem.title)
        body.writeString(",\"status\":503,\"detail\":")
        body.writeJSON(problem.detail)
        body.writeString("}\n")
        var fields = problem.headers
        fields[.contentType] = "application/problem+json"
        var answer = StreamAnswer(problem.status, fields, caching: .never, body: body)
        answer.closes = true
        return answer
    }()
}
