import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Synchronization
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages

/// Responses with changes. Each is rendered, encoded and compressed once for all identical requests.
extension PollEncoder {
    static let eventLimit = 500
    /// The maximum bytes of events in a response, unless a single event is larger.
    static let byteLimit = 256 * 1_024
    /// The maximum time for the events of a response in milliseconds, except that of its first event, because a client and
    /// a stopping server wait for the response.
    static let timeLimit: Int64 = 500
    /// The minimum body size to compress; smaller bodies fit into one packet.
    static let compressionLimit = 1_000

    struct BatchKey: Hashable {
        let audience: Audience
        let page: LivePage
        let from: SequenceNumber
        let head: SequenceNumber
        let slot: Int64
        let epoch: String?
        let notices: PageNotices
        /// The lines behind those of an output.
        let unfinished: UnfinishedLines?
        var isCompressed = false
    }

    struct EventKey: Hashable {
        let audience: Audience
        let page: LivePage
        let sequence: SequenceNumber
    }

    /// Identifies an encoded response, whose `Date` field changes every second.
    struct MessageKey: Hashable {
        let batch: BatchKey
        let caching: PollAnswer.Caching
        let second: Int64
    }

    /// Returns the changes after `from`, which the feed's head has passed.
    func batch(_ request: PollRequest, page: LivePage, from: SequenceNumber) -> PollAnswer {
        if case .output(let run) = page.topic { return lines(of: run, request, page: page, from: from) }
        let topic = page.topic.topic
        let head = feed.head(of: topic)
        switch feed.slice(of: topic, after: from, limit: Self.eventLimit) {
        case .some(let publications, let more):
            let key = key(request, page: page, from: from, head: head)
            let body = caches.batches.value(for: key, cost: \.readableBytes) {
                encode(publications, more: more, page: page, key)
            }
            return shared(compressed(answer(body: body, caching: isTail(request) ? .hold : .brief), request, key), key)
        case .gap(let floor): return gap(request, from: from, floor: floor, head: head)
        case .none: return empty(request, sequence: from)
        case .future: return reset(request, .future, from: from, head: head, caching: .never)
        }
    }

    /// Whether the batch after `from` is cached, or empty.
    func hasMade(_ request: PollRequest, page: LivePage, from: SequenceNumber) -> Bool {
        if case .output(let run) = page.topic {
            guard let tail = feed.output(of: run), tail.head > from else { return true }
            return caches.batches.known(
                key(request, page: page, from: from, head: tail.head, unfinished: tail.unfinished)) != nil
        }
        let head = feed.head(of: page.topic.topic)
        return head <= from || caches.batches.known(key(request, page: page, from: from, head: head)) != nil
    }

    private func key(
        _ request: PollRequest, page: LivePage, from: SequenceNumber, head: SequenceNumber,
        unfinished: UnfinishedLines? = nil
    ) -> BatchKey {
        BatchKey(
            audience: audience, page: page, from: from, head: head, slot: slots(request).slot(at: clock.wall),
            epoch: request.epoch, notices: notices, unfinished: unfinished)
    }

    /// Returns the output lines after `from`, always up to the last one; if some are evicted, the newest lines replace all
    /// that the page shows.
    private func lines(of run: String, _ request: PollRequest, page: LivePage, from: SequenceNumber) -> PollAnswer {
        guard let tail = feed.output(of: run), tail.head > from else { return empty(request, sequence: from) }
        let key = key(request, page: page, from: from, head: tail.head, unfinished: tail.unfinished)
        let body = caches.batches.value(for: key, cost: \.readableBytes) {
            encoded.add(1, ordering: .relaxed)
            let events = renderer.patches(for: tail, after: from, page: page).map { step in
                event(step.number, stream: page.topic.topic.description, revision: 0, step.patches)
            }
            let name = page.feedName
            return PollEnvelope(
                kind: .batch, epoch: urls.epoch, from: from, to: tail.head, more: false,
                notice: notice(key.notices, page),
                unfinished: renderer.region(tail.unfinished, locale: page.locale),
                next: urls.tail(name, tail.head, slot: key.slot), now: urls.now(name, tail.head), snap: urls.snap(name)
            ).encode(events: events)
        }
        return compressed(answer(body: body, caching: isTail(request) ? .hold : .brief), request, key)
    }

    /// Returns the answer compressed if the client accepts gzip and the result is smaller.
    private func compressed(_ answer: PollAnswer, _ request: PollRequest, _ key: BatchKey) -> PollAnswer {
        guard request.takesGzip, answer.body.readableBytes >= Self.compressionLimit else { return answer }
        var (answer, key) = (answer, key)
        key.isCompressed = true
        // Favors speed over size, because a client is waiting.
        let body = caches.batches.value(for: key, cost: \.readableBytes) {
            Gzip.compress(answer.body, level: 3) ?? answer.body
        }
        answer.isCompressed = body.readableBytes < answer.body.readableBytes
        answer.body = body
        return answer
    }

    /// Attaches the encoded response, so that late clients get the same bytes as waiting ones.
    private func shared(_ answer: PollAnswer, _ key: BatchKey) -> PollAnswer {
        let wall = clock.wall
        var key = key
        key.isCompressed = answer.isCompressed
        let message = MessageKey(batch: key, caching: answer.caching, second: wall / 1_000)
        var answer = answer
        answer.message = caches.messages.value(for: message, cost: \.readableBytes) { answer.encoded(at: wall) }
        return answer
    }

    private func encode(_ publications: [Publication], more: Bool, page: LivePage, _ key: BatchKey) -> ByteBuffer {
        let (from, slot) = (key.from, key.slot)
        encoded.add(1, ordering: .relaxed)
        var list: [ByteBuffer] = []
        var bytes = 0
        var last = from
        let began = clock.uptime
        for publication in publications {
            if !list.isEmpty, clock.uptime - began >= Self.timeLimit { break }
            let event = event(publication, page: page)
            if !list.isEmpty, bytes + event.readableBytes > Self.byteLimit { break }
            list.append(event)
            bytes += event.readableBytes
            last = publication.change.sequence
        }
        let feed = page.feedName
        let isCut = list.count < publications.count
        return PollEnvelope(
            kind: .batch, epoch: urls.epoch, from: from, to: last, more: more || isCut,
            notice: notice(key.notices, page), next: urls.tail(feed, last, slot: slot, epoch: key.epoch),
            now: urls.now(feed, last, epoch: key.epoch), snap: urls.snap(feed)
        ).encode(events: list)
    }

    /// `[sequence, stream, revision, [patch, …]]`.
    private func event(_ publication: Publication, page: LivePage) -> ByteBuffer {
        let change = publication.change
        return caches.events.value(
            for: EventKey(audience: audience, page: page, sequence: change.sequence), cost: \.readableBytes
        ) {
            event(
                change.sequence, stream: change.stream.description, revision: change.revision,
                renderer.patches(
                    for: publication, page: page, paused: pausedSchedules, acknowledged: acknowledgements,
                    withoutStart: schedulesWithoutStart))
        }
    }

    private func event(_ sequence: SequenceNumber, stream: String, revision: Int64, _ patches: [Patch]) -> ByteBuffer {
        var json = ByteBuffer()
        json.writeString("[\(sequence),")
        json.writeJSON(stream)
        json.writeString(",\(revision),")
        json.write(patches)
        json.writeString("]")
        return json
    }
}

/// Caches of rendered and encoded data, shared by all audiences so that memory use does not grow with their number.
final class PollCaches: Sendable {
    let batches = GenerationCache<PollEncoder.BatchKey, ByteBuffer>(limit: 16 * 1_024 * 1_024)
    let messages = GenerationCache<PollEncoder.MessageKey, ByteBuffer>(limit: 4 * 1_024 * 1_024)
    let events = GenerationCache<PollEncoder.EventKey, ByteBuffer>(limit: 32 * 1_024 * 1_024)
    let chunks = GenerationCache<StreamAnswers.ChunkKey, StreamChunk>(limit: 16 * 1_024 * 1_024)
    let pages = PageCache()
    let changes = GenerationCache<SequenceNumber, ByteBuffer>(limit: 16 * 1_024 * 1_024)
}

/// A cost-bounded cache with two generations; entries not read during a whole generation are evicted.
final class GenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var young: [Key: (value: Value, cost: Int)] = [:]
        var old: [Key: (value: Value, cost: Int)] = [:]
        var youngCost = 0
    }

    private let limit: Int
    private let state = NIOLockedValueBox(State())

    /// Creates a cache whose total cost stays below `limit`, give or take one value.
    init(limit: Int) { self.limit = limit }

    func known(_ key: Key) -> Value? {
        state.withLockedValue { state in
            if let entry = state.young[key] { return entry.value }
            guard let entry = state.old.removeValue(forKey: key) else { return nil }
            insert(entry, for: key, into: &state)
            return entry.value
        }
    }

    /// Returns the cached value, or makes and caches it.
    ///
    /// `make` runs outside the lock, so concurrent callers may both run it.
    func value(for key: Key, cost: (Value) -> Int, make: () -> Value) -> Value {
        if let known = known(key) { return known }
        let value = make()
        let entry = (value: value, cost: cost(value))
        state.withLockedValue { insert(entry, for: key, into: &$0) }
        return value
    }

    private func insert(_ entry: (value: Value, cost: Int), for key: Key, into state: inout State) {
        if state.youngCost + entry.cost > limit / 2 {
            state.old = state.young
            state.young = [:]
            state.youngCost = 0
        }
        let replaced = state.young.updateValue(entry, forKey: key)
        state.youngCost += entry.cost - (replaced?.cost ?? 0)
    }
}
