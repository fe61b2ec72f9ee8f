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
    private let memory: BodyBudget.Share
    private let right: HeldRight?

    /// Begins to read; `limit` is the most bytes to take, nil for no limit, and `budget` the memory for what is kept of it.
    init(_ exchange: Exchange, limit: Int64?, budget: BodyBudget) {
        iterator = exchange.request.body.makeAsyncIterator()
        right = exchange.right
        announced = exchange.request.headers[.contentLength].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
        self.limit = limit
        memory = budget.share()
    }

    /// The next piece, or nil at the end.
    mutating func next() async throws(UploadFailure) -> ByteBuffer? {
        if let limit, announced ?? 0 > limit { throw .tooLarge(limit: limit) }
        let piece: ByteBuffer?
        do {
            piece = try await iterator.next()
        } catch let stop as BodyStop {
            switch stop {
            case .tooSlow: throw .tooSlow
            case .shutdown: throw .shutdown
            case .revoked: throw .revoked
            }
        } catch {
            throw .stopped(received: received, announced: announced)
        }
        // Looked at behind the last piece too, before anything is done with the body.
        guard right?.isHeld ?? true else { throw .revoked }
        guard let piece else {
            // A connection that closes ends the body like a body that is over; only its length tells them apart.
            if let announced, received < announced { throw .stopped(received: received, announced: announced) }
            return nil
        }
        received += Int64(piece.readableBytes)
        if let limit, received > limit { throw .tooLarge(limit: limit) }
        return piece
    }

    /// Takes memory for bytes that are kept until this reader goes.
    func keep(_ count: Int) throws(UploadFailure) {
        guard memory.grow(by: count) else { throw .crowded }
    }

    /// The whole body.
    ///
    /// Throws a problem when it is longer than the limit or breaks off.
    mutating func collect() async throws(Problem) -> ByteBuffer {
        var whole = ByteBuffer()
        do {
            while var piece = try await next() {
                try keep(piece.readableBytes)
                whole.writeBuffer(&piece)
            }
        } catch {
            throw problem(error)
        }
        return whole
    }

    /// The problem of a failure, for an answer.
    func problem(_ failure: UploadFailure) -> Problem {
        if let limit, failure == .tooLarge(limit: limit) { return .tooLarge(limit: limit) }
        return Problem(stoppedBy: failure) ?? .stalled
    }

    /// Whether what is left of the body is so much, or so uncertain, that the connection should rather end.
    var isWorthLeaving: Bool {
        guard let announced else { return true }
        return announced - received > 16 * 1_024 * 1_024
    }
}

/// Why a server stops reading a body whose client may well go on sending.
enum BodyStop: Error, Equatable {
    /// It comes more slowly than the limits allow.
    case tooSlow
    /// The server shuts down.
    case shutdown
    /// Whoever sends it may not any more.
    case revoked
}
