import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import Synchronization

/// Reads and counts a request's body, and distinguishes its end from an abort.
struct BodyReader {
    private var iterator: RequestBody.AsyncIterator
    let announced: Int64?
    private(set) var received: Int64 = 0
    private let limit: Int64?
    private let memory: BodyBudget.Share
    private let right: HeldRight?

    /// Starts reading; `limit` is the maximum length, nil for no limit; `budget` provides the memory for kept bytes.
    init(_ exchange: Exchange, limit: Int64?, budget: BodyBudget) {
        iterator = exchange.request.body.makeAsyncIterator()
        right = exchange.right
        announced = exchange.request.headers[.contentLength].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
        self.limit = limit
        memory = budget.share()
    }

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
        // Checked after the last piece too, before the body is used.
        guard right?.isHeld ?? true else { throw .revoked }
        guard let piece else {
            // A closed connection looks like the end of the body, except for the length.
            if let announced, received < announced { throw .stopped(received: received, announced: announced) }
            return nil
        }
        received += Int64(piece.readableBytes)
        if let limit, received > limit { throw .tooLarge(limit: limit) }
        return piece
    }

    /// Reserves memory for bytes that are kept as long as this reader.
    func keep(_ count: Int) throws(UploadFailure) {
        guard memory.grow(by: count) else { throw .crowded }
    }

    /// Reads the whole body.
    ///
    /// Throws a problem if it exceeds the limit or is aborted.
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

    func problem(_ failure: UploadFailure) -> Problem {
        if let limit, failure == .tooLarge(limit: limit) { return .tooLarge(limit: limit) }
        return Problem(stoppedBy: failure) ?? .stalled
    }
}

enum BodyStop: Error, Equatable {
    case tooSlow
    case shutdown
    /// The sender has lost the permission.
    case revoked
}

/// Limits the total memory of all bodies that are being received or sent.
final class BodyBudget: Sendable {
    /// Bytes of each request body that are exempt from the shared limit, so that small bodies are always read.
    static let free = 16 * 1_024
    /// Bytes of each response body that are exempt from the shared limit, so that small responses are always sent.
    static let freeAnswer = 64 * 1_024

    /// The memory of one body, released on deinitialization.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let size = Atomic<Int>(0)

        fileprivate init(_ budget: BodyBudget) { self.budget = budget }

        /// Reserves `count` more bytes; returns false, reserving nothing, if the limit would be exceeded.
        func grow(by count: Int) -> Bool {
            let before = size.load(ordering: .relaxed)
            let (after, isOver) = before.addingReportingOverflow(count)
            guard !isOver, budget.take(max(0, after - max(before, budget.free))) else { return false }
            size.store(after, ordering: .relaxed)
            return true
        }

        deinit { budget.give(max(0, size.load(ordering: .relaxed) - budget.free)) }
    }

    private let limit: Int
    private let free: Int
    private let used = Atomic<Int>(0)

    /// Creates a budget of `limit` bytes; `free` bytes of each body are exempt.
    init(limit: Int, free: Int = BodyBudget.free) {
        self.limit = limit
        self.free = free
    }

    var taken: Int { used.load(ordering: .relaxed) }

    /// Creates a share for one body; only one task at a time may use it.
    func share() -> Share { Share(self) }

    private func take(_ count: Int) -> Bool {
        guard count > 0 else { return true }
        let after = used.add(count, ordering: .relaxed).newValue
        guard after > limit else { return true }
        give(count)
        return false
    }

    private func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// The requests whose bodies are being read; stops a body when its sender loses the permission while no data arrives.
final class BodiesBeingRead: Sendable {
    private struct Entry {
        let right: HeldRight
        let stop: @Sendable () -> Void
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var last = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Registers a request; `stop` ends its body and may be called on any thread.
    ///
    /// Returns the number to pass to ``end(_:)``.
    func begin(_ right: HeldRight, stop: @escaping @Sendable () -> Void) -> Int {
        state.withLockedValue { state in
            state.last &+= 1
            state.entries[state.last] = Entry(right: right, stop: stop)
            return state.last
        }
    }

    func end(_ number: Int) { state.withLockedValue { $0.entries[number] = nil } }

    var count: Int { state.withLockedValue { $0.entries.count } }

    func lookAtRights() {
        for entry in state.withLockedValue({ Array($0.entries.values) }) where !entry.right.isHeld { entry.stop() }
    }
}
