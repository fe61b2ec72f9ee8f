import HTTPTypes
import NIOCore
import WeirBoards
import WeirJournals

struct StreamAnswer: HeldAnswer {
    enum Caching: String, Sendable {
        /// The content between two offsets never changes (section 10.1).
        case lasting = "public, max-age=60, stale-while-revalidate=300"
        /// A wait without news: valid as long as its cursor, counted from the time of the request.
        case hold = "public, max-age=20"
        /// Revalidated on each use.
        case fresh = "no-cache"
        case never = "no-store"
        case personal = "private, no-store"
    }

    var status = HTTPResponse.Status.ok
    var fields: HTTPFields
    var body = ByteBuffer()
    var closes = false
    /// The complete HTTP/1.1 response, if many clients receive the same bytes.
    var message: ByteBuffer?

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields, caching: Caching, body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.fields = fields
        self.fields[.cacheControl] = caching.rawValue
        self.body = body
    }

    static let refused: StreamAnswer = {
        let refused = PollAnswer.refused
        return StreamAnswer(
            refused.status, [.contentType: refused.contentType], caching: .never, body: refused.body)
    }()

    /// Frees the connection for others; the client retries later on another one.
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

/// A chunk of a stream, limited to the size of one answer.
struct StreamChunk: Sendable {
    static let changeLimit = 500
    static let lineLimit = 1_000
    /// The maximum bytes of an answer, unless a single message is larger.
    static let byteLimit = Board.answerBytes

    /// The messages as a JSON array, or the text.
    let body: ByteBuffer
    let to: SequenceNumber
    let more: Bool
    let isClosed: Bool

    /// Creates a chunk of encoded messages, with at least the first one.
    ///
    /// `end` is the position up to which the stream was searched, which may lie after the last message.
    init(
        messages: some Sequence<(place: SequenceNumber, json: ByteBuffer)>, after from: SequenceNumber,
        through end: SequenceNumber = .zero, more: Bool, isClosed: Bool
    ) {
        var body = ByteBuffer()
        body.writeString("[")
        var (last, isCut) = (from, false)
        for (place, json) in messages {
            if last > from {
                if body.readableBytes + json.readableBytes > Self.byteLimit {
                    isCut = true
                    break
                }
                body.writeString(",")
            }
            body.writeImmutableBuffer(json)
            last = place
        }
        body.writeString("]")
        self.body = body
        to = isCut ? last : max(last, end)
        self.more = more || isCut
        self.isClosed = isClosed && !self.more
    }

    /// Creates a chunk of text: the lines with their line breaks, where parts of a split line are joined.
    init(text lines: some Sequence<OutputLine>, after from: SequenceNumber, more: Bool, isClosed: Bool) {
        var body = ByteBuffer()
        var (last, isCut) = (from, false)
        var joiner = OutputJoiner()
        for line in lines {
            if last > from, body.readableBytes + line.text.utf8.count > Self.byteLimit {
                isCut = true
                break
            }
            body.writeString(joiner.text(line.text, on: line.channel, continues: line.continues))
            last = line.number
        }
        self.body = body
        to = last
        self.more = more || isCut
        self.isClosed = isClosed && !self.more
    }
}

extension Problem {
    init(_ mistake: StreamRequest.Mistake) { self = .malformedQuery(mistake.field, mistake.detail) }

    /// Creates the problem of an unusable offset; `first` is the first offset that is kept.
    static func lost(_ loss: StreamStatus.Loss, first: String) -> Problem {
        let (kind, title, detail) =
            switch loss {
            case .removed:
                (
                    "removed-offset", "Removed offset",
                    "Not everything that follows this offset is kept any more. What is kept begins at Stream-First-Offset; "
                        + "what lies between is gone."
                )
            case .replaced:
                (
                    "replaced-history", "Replaced history",
                    "This offset belongs to another history than the server's. Begin again at Stream-First-Offset, with "
                        + "nothing of what was read before."
                )
            case .otherPart:
                (
                    "other-audience", "Other audience",
                    "What you may see is not what it was when this offset was given, so changes before it may be missing in "
                        + "what was read. Begin again at Stream-First-Offset, with nothing of what was read before."
                )
            case .future:
                (
                    "future-offset", "Future offset",
                    "This offset lies beyond the end of the stream, which must have been restored from a copy. Begin again "
                        + "at Stream-First-Offset."
                )
            }
        return Problem(kind, .gone, title, detail, headers: [.streamFirstOffset: first])
    }

    static let crowdedStreams = Problem(
        "overloaded", .serviceUnavailable, "Overloaded",
        "As many requests are waiting for news as may wait at once. Read without “live”, or try again in a while.",
        headers: [.retryAfter: "5"])
}

extension HTTPField.Name {
    // Fields of the Durable Streams protocol (section 13.2).
    static let streamNextOffset = known("Stream-Next-Offset")
    static let streamUpToDate = known("Stream-Up-To-Date")
    static let streamClosed = known("Stream-Closed")
    static let streamCursor = known("Stream-Cursor")
    static let streamSequence = known("Stream-Seq")
    static let streamLifetime = known("Stream-TTL")
    static let streamExpiry = known("Stream-Expires-At")
    static let streamSource = known("Stream-Forked-From")
    static let producerID = known("Producer-Id")
    static let producerEpoch = known("Producer-Epoch")
    static let producerNumber = known("Producer-Seq")
    static let producerExpected = known("Producer-Expected-Seq")
    static let producerReceived = known("Producer-Received-Seq")
    /// Weir's own: the first offset that is kept.
    static let streamFirstOffset = known("Stream-First-Offset")
    /// Weir's own: how many seconds a reporter may be silent.
    static let weirLease = known("Weir-Lease")
    /// Disables nginx's buffering of events.
    static let accelBuffering = known("X-Accel-Buffering")
}
