import HTTPTypes
import Hummingbird
import NIOCore

/// Reads a request's body, counts it, and tells an end from an abortion.
struct BodyReader {
    private var iterator: RequestBody.AsyncIterator
    /// How many bytes were announced, if that was told.
    let announced: Int64?
    /// How many bytes have come.
    private(set) var received: Int64 = 0
    private let limit: Int64?

    /// Begins to read; `limit` is the most bytes to take, nil for no limit.
    init(_ request: Request, limit: Int64?) {
        iterator = request.body.makeAsyncIterator()
        announced = request.headers[.contentLength].flatMap { Int64($0) }
        self.limit = limit
    }

    /// The next piece, or nil at the end.
    mutating func next() async throws(UploadFailure) -> ByteBuffer? {
        if let limit, announced ?? 0 > limit { throw .tooLarge(limit: limit) }
        let piece: ByteBuffer?
        do {
            piece = try await iterator.next()
        } catch {
            throw .stopped(received: received, announced: announced)
        }
        guard let piece else {
            // A connection that closes ends the body like a body that is over; only its length tells them apart.
            if let announced, received < announced { throw .stopped(received: received, announced: announced) }
            return nil
        }
        received += Int64(piece.readableBytes)
        if let limit, received > limit { throw .tooLarge(limit: limit) }
        return piece
    }

    /// The whole body.
    ///
    /// Throws a problem when it is longer than the limit or breaks off.
    mutating func collect() async throws(Problem) -> ByteBuffer {
        var whole = ByteBuffer()
        do {
            while var piece = try await next() { whole.writeBuffer(&piece) }
        } catch {
            throw problem(error)
        }
        return whole
    }

    /// The problem of a failure, for an answer.
    func problem(_ failure: UploadFailure) -> Problem {
        if let limit, failure == .tooLarge(limit: limit) { return .tooLarge(limit: limit) }
        return .stalled
    }

    /// Whether what is left of the body is so much, or so uncertain, that the connection should rather end.
    var isWorthLeaving: Bool {
        guard let announced else { return true }
        return announced - received > 16 * 1_024 * 1_024
    }
}
