import HTTPTypes
import NIOCore
import Synchronization
import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

/// Makes the responses to stream readers, encoding each chunk once for all identical requests.
final class StreamAnswers: Sendable {
    struct ChunkKey: Hashable, Sendable {
        let audience: Audience
        let name: StreamName
        let from: SequenceNumber
        let head: SequenceNumber
        let isClosed: Bool
    }

    let history: StreamOffset.History
    /// The label of the visible part of the board; nil for the whole board.
    private let part: String?
    private let feed: VisibleFeed
    private let clock: any WaitClock
    /// Part of every cache key, even for public content: the permissions of the public audience may change.
    private let audience: Audience
    private let isPublic: Bool
    private let caches: PollCaches
    private let encoded = Atomic<Int>(0)

    init(board: VisibleBoard, clock: any WaitClock, isPublic: Bool, caches: PollCaches) {
        history = StreamOffset.History(epoch: board.epoch, began: board.began)
        part = board.label
        feed = board.feed
        self.clock = clock
        audience = Audience(board.permissions)
        self.isPublic = isPublic
        self.caches = caches
    }

    var encodings: Int { encoded.load(ordering: .relaxed) }

    // MARK: Chunks

    /// Returns the chunk after `from` from memory; nil if it is not all in memory, or empty.
    func chunk(of name: StreamName, after from: SequenceNumber) -> StreamChunk? {
        guard let run = name.output else { return chunk(of: name.topic, name, after: from) }
        guard let tail = feed.output(of: run), let lines = tail.lines(after: from), let first = lines.first,
            first.number == from.next
        else { return nil }
        let key = ChunkKey(audience: audience, name: name, from: from, head: tail.head, isClosed: tail.isClosed)
        return caches.chunks.value(for: key, cost: \.body.readableBytes) {
            chunk(of: name, Array(lines), after: from, head: tail.head, isClosed: tail.isClosed)
        }
    }

    private func chunk(of topic: Topic, _ name: StreamName, after from: SequenceNumber) -> StreamChunk? {
        let key = ChunkKey(audience: audience, name: name, from: from, head: feed.head(of: topic), isClosed: false)
        guard
            case .some(let publications, let more) = feed.slice(
                of: topic, after: from, limit: StreamChunk.changeLimit)
        else { return nil }
        return caches.chunks.value(for: key, cost: \.body.readableBytes) {
            chunk(of: topic, publications.map(\.change), after: from, more: more)
        }
    }

    func chunk(
        of topic: Topic, _ list: [Change], after from: SequenceNumber, through end: SequenceNumber = .zero, more: Bool
    ) -> StreamChunk {
        encoded.add(1, ordering: .relaxed)
        let isClosed = if case .run = topic { list.last?.state.phase.isEnded ?? false } else { false }
        return StreamChunk(
            messages: list.lazy.map { [self] in ($0.sequence, message($0)) }, after: from, through: end,
            more: more, isClosed: isClosed)
    }

    func chunk(
        of name: StreamName, _ lines: [OutputLine], after from: SequenceNumber, head: SequenceNumber, isClosed: Bool
    ) -> StreamChunk {
        encoded.add(1, ordering: .relaxed)
        let more = lines.count > StreamChunk.lineLimit || (lines.last?.number ?? from) < head
        let list = lines.prefix(StreamChunk.lineLimit)
        if name.isText { return StreamChunk(text: list, after: from, more: more, isClosed: isClosed) }
        return StreamChunk(
            messages: list.lazy.map { ($0.number, Self.buffer($0.json)) }, after: from, more: more, isClosed: isClosed)
    }

    private func message(_ change: Change) -> ByteBuffer {
        caches.changes.value(for: change.sequence, cost: \.readableBytes) { Self.buffer(change.json) }
    }

    /// Encodes a value as JSON; its numbers are finite, because they were parsed from JSON.
    static func buffer(_ value: JSONValue) -> ByteBuffer {
        do { return ByteBuffer(string: try value.text()) } catch { return ByteBuffer(string: "null") }
    }

    /// Whether a reader at `sequence` has read a whole closed output, as far as memory knows.
    func isClosed(_ name: StreamName, at sequence: SequenceNumber) -> Bool {
        guard let run = name.output, let tail = feed.output(of: run) else { return false }
        return tail.isClosed && tail.head == sequence
    }

    // MARK: Answers

    func offset(_ sequence: SequenceNumber, of name: StreamName) -> String {
        StreamOffset(history, sequence, part: part(of: name)).description
    }

    /// Decides how to answer a request, given the status of its stream.
    func decision(_ request: StreamRequest, _ status: StreamStatus) -> StreamStatus.Decision {
        status.decision(request.start, in: history, part: part(of: request.name))
    }

    /// Access to all streams except the board's is all or nothing.
    private func part(of name: StreamName) -> String? { name.topic == .board ? part : nil }

    func answer(_ request: StreamRequest, _ chunk: StreamChunk, from: SequenceNumber) -> StreamAnswer {
        var fields = fields(request, at: chunk.to, isUpToDate: !chunk.more, isClosed: chunk.isClosed)
        fields[.contentType] = request.name.contentType
        fields[.eTag] = tag(from, chunk.to, isClosed: chunk.isClosed)
        // The position of “now” and of the first kept message changes.
        let caching: StreamAnswer.Caching =
            if case .after = request.start { .lasting } else if request.start == .now { .never } else { .fresh }
        return StreamAnswer(.ok, fields, caching: kept(caching), body: chunk.body)
    }

    func nothing(_ request: StreamRequest, at sequence: SequenceNumber, isClosed: Bool) -> StreamAnswer {
        var fields = fields(request, at: sequence, isUpToDate: true, isClosed: isClosed)
        guard request.mode == .catchUp else {
            return StreamAnswer(.noContent, fields, caching: kept(request.start == .now ? .never : .hold))
        }
        fields[.contentType] = request.name.contentType
        if request.start != .now { fields[.eTag] = tag(sequence, sequence, isClosed: isClosed) }
        return StreamAnswer(
            .ok, fields, caching: kept(request.start == .now ? .never : .fresh),
            body: request.name.isText ? ByteBuffer() : ByteBuffer(string: "[]"))
    }

    func drained(_ request: StreamRequest, at sequence: SequenceNumber) -> StreamAnswer {
        var answer = nothing(request, at: sequence, isClosed: false)
        answer.closes = true
        return answer
    }

    /// Returns an empty answer to a reader whose permissions have changed, which then repeats the request.
    func again(_ waiter: HeldStream) -> StreamAnswer {
        var answer = nothing(waiter.request, at: waiter.sequence, isClosed: false)
        answer.fields[.cacheControl] = StreamAnswer.Caching.personal.rawValue
        return answer
    }

    /// Returns the cache policy, made personal unless the content is public.
    private func kept(_ caching: StreamAnswer.Caching) -> StreamAnswer.Caching {
        isPublic || caching == .never ? caching : .personal
    }

    func head(_ request: StreamRequest, _ status: StreamStatus) -> StreamAnswer {
        var fields: HTTPFields = [
            .contentType: request.name.contentType, .streamNextOffset: offset(status.head, of: request.name),
            .streamFirstOffset: offset(status.floor, of: request.name),
        ]
        if status.isClosed { fields[.streamClosed] = "true" }
        return StreamAnswer(.ok, fields, caching: .never)
    }

    private func fields(
        _ request: StreamRequest, at sequence: SequenceNumber, isUpToDate: Bool, isClosed: Bool
    ) -> HTTPFields {
        var fields: HTTPFields = [.streamNextOffset: offset(sequence, of: request.name)]
        if isUpToDate { fields[.streamUpToDate] = "true" }
        if isClosed { fields[.streamClosed] = "true" }
        if request.mode != .catchUp, !isClosed {
            fields[.streamCursor] = StreamCursor.following(request.cursor, at: clock.wall).description
        }
        return fields
    }

    /// Returns the entity tag of the content between two offsets, for a part of the board.
    private func tag(_ from: SequenceNumber, _ to: SequenceNumber, isClosed: Bool) -> String {
        "\"\(history)_\(from)_\(to)\(part.map { "_" + $0 } ?? "")\(isClosed ? "_closed" : "")\""
    }

    func cursor(following cursor: StreamCursor?) -> StreamCursor {
        StreamCursor.following(cursor, at: clock.wall)
    }
}
