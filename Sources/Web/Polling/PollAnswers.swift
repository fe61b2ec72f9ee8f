import Boards
import Journals
import NIOCore
import Pages
import Synchronization

/// Makes the answers to polls, each encoded once for everybody who asks the same.
final class PollAnswers: Sendable {
    /// The most events in one answer.
    static let eventLimit = 500
    /// The most bytes of events in one answer, but for a single event that is larger.
    static let byteLimit = 256 * 1_024
    /// Within which a client comes back after the server told it that it shuts down, in milliseconds.
    static let drainRetry: ClosedRange<Int64> = 0...4_000
    /// Within which a client comes back when too many hold already, in milliseconds.
    static let busyRetry: ClosedRange<Int64> = 3_000...6_000

    private struct BatchKey: Hashable {
        let page: LivePage
        let from: Int64
        let head: Int64
        let slot: Int64
    }

    private struct EventKey: Hashable {
        let page: LivePage
        let sequence: Int64
    }

    let urls: PollURLs
    private let board: Board
    private var feed: Feed { board.feed }
    private let renderer: PageRenderer
    private let clock: any HoldClock
    private let batches = GenerationCache<BatchKey, ByteBuffer>(limit: 16 * 1_024 * 1_024)
    private let events = GenerationCache<EventKey, ByteBuffer>(limit: 32 * 1_024 * 1_024)
    private let encoded = Atomic<Int>(0)

    init(board: Board, renderer: PageRenderer, mount: MountPath, clock: any HoldClock) {
        self.board = board
        urls = PollURLs(mount: mount, epoch: board.epoch)
        self.renderer = renderer
        self.clock = clock
    }

    /// How many batches were encoded so far.
    var encodings: Int { encoded.load(ordering: .relaxed) }

    /// What follows a sequence that the feed's head has passed.
    func batch(_ request: PollRequest, page: LivePage, from: Int64) -> PollAnswer {
        if case .output(let run) = page.topic { return lines(of: run, request, page: page, from: from) }
        let topic = page.topic.topic
        let head = feed.head(of: topic)
        switch feed.slice(of: topic, after: from, limit: Self.eventLimit) {
        case .some(let publications, let more):
            let key = BatchKey(page: page, from: from, head: head, slot: slots(request).slot(at: clock.wall))
            let body = batches.value(for: key, cost: \.readableBytes) {
                encode(publications, more: more, page: page, from: from, slot: key.slot)
            }
            return PollAnswer(body: body, caching: isTail(request) ? .hold : .brief)
        case .gap(let floor): return gap(request, from: from, floor: floor, head: head)
        case .none: return empty(request, sequence: from)
        case .future: return reset(request, .future, from: from, head: head, caching: .never)
        }
    }

    /// The lines that follow a number, or the newest in place of all that are shown: always up to the last.
    private func lines(of run: String, _ request: PollRequest, page: LivePage, from: Int64) -> PollAnswer {
        guard let tail = feed.output(of: run), tail.head > from else { return empty(request, sequence: from) }
        let key = BatchKey(page: page, from: from, head: tail.head, slot: slots(request).slot(at: clock.wall))
        let body = batches.value(for: key, cost: \.readableBytes) {
            encoded.add(1, ordering: .relaxed)
            let events = renderer.patches(for: tail, after: from, page: page).map { step in
                event(step.number, stream: page.topic.topic.description, revision: 0, step.patches)
            }
            let name = page.feedName
            return PollEnvelope(
                kind: .batch, epoch: urls.epoch, from: from, to: tail.head, more: false,
                next: urls.tail(name, tail.head, slot: key.slot), now: urls.now(name, tail.head), snap: urls.snap(name)
            ).encode(events: events)
        }
        return PollAnswer(body: body, caching: isTail(request) ? .hold : .brief)
    }

    /// Nothing new.
    func empty(_ request: PollRequest, sequence: Int64) -> PollAnswer {
        PollAnswer(body: quiet(request, sequence: sequence).encode(), caching: isTail(request) ? .hold : .revalidate)
    }

    /// Nothing new, but something to say.
    ///
    /// Kept for a moment only, as the hold might be asked for again before its slot is over.
    func interrupted(_ request: PollRequest, sequence: Int64) -> PollAnswer {
        PollAnswer(body: quiet(request, sequence: sequence).encode(), caching: .brief)
    }

    /// Nothing new, and nothing ever will be.
    func end(_ request: PollRequest, sequence: Int64) -> PollAnswer {
        PollAnswer(body: envelope(.end, request, from: sequence, to: sequence).encode(), caching: .hold)
    }

    /// Nothing new, and too many hold already: come back after a while instead.
    func busy(_ request: PollRequest, sequence: Int64) -> PollAnswer {
        var envelope = quiet(request, sequence: sequence)
        envelope.retry = Self.busyRetry
        return PollAnswer(body: envelope.encode(), caching: .never)
    }

    /// The server shuts down: come back after a while.
    func drain(_ request: PollRequest, sequence: Int64) -> PollAnswer {
        var envelope = envelope(.drain, request, from: sequence, to: sequence)
        envelope.retry = Self.drainRetry
        return PollAnswer(body: envelope.encode(), caching: .hold, closes: true)
    }

    /// Changes after the cursor are gone: what, and where to start over.
    func gap(_ request: PollRequest, from: Int64, floor: Int64, head: Int64) -> PollAnswer {
        var envelope = resetEnvelope(request, .gap, from: from, head: head)
        envelope.lost = from + 1...floor
        return PollAnswer(body: envelope.encode(), caching: .hold)
    }

    /// The cursor is of no use: start over.
    func reset(
        _ request: PollRequest, _ reason: PollEnvelope.Reason, from: Int64, head: Int64, caching: PollAnswer.Caching
    ) -> PollAnswer {
        PollAnswer(body: resetEnvelope(request, reason, from: from, head: head).encode(), caching: caching)
    }

    /// Where a page that shows the feed up to a sequence goes on.
    func cursor(_ page: LivePage, sequence: Int64, after: String?) -> PageCursor {
        let feed = page.feedName
        return PageCursor(
            epoch: urls.epoch, sequence: sequence,
            next: urls.tail(feed, sequence, slot: PollSlots(feed: feed).slot(at: clock.wall)),
            now: urls.now(feed, sequence), snap: urls.snap(feed), after: after)
    }

    private func resetEnvelope(
        _ request: PollRequest, _ reason: PollEnvelope.Reason, from: Int64, head: Int64
    ) -> PollEnvelope {
        var envelope = envelope(.reset, request, from: from, to: head)
        envelope.reason = reason
        return envelope
    }

    private func encode(
        _ publications: [Publication], more: Bool, page: LivePage, from: Int64, slot: Int64
    ) -> ByteBuffer {
        encoded.add(1, ordering: .relaxed)
        var list: [ByteBuffer] = []
        var bytes = 0
        var last = from
        for publication in publications {
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
            next: urls.tail(feed, last, slot: slot), now: urls.now(feed, last), snap: urls.snap(feed)
        ).encode(events: list)
    }

    /// `[sequence, stream, revision, [patch, …]]`.
    private func event(_ publication: Publication, page: LivePage) -> ByteBuffer {
        let change = publication.change
        return events.value(for: EventKey(page: page, sequence: change.sequence), cost: \.readableBytes) {
            event(
                change.sequence, stream: change.stream.description, revision: change.revision,
                renderer.patches(for: publication, page: page))
        }
    }

    /// An empty envelope, which says so if changes cannot be recorded.
    private func quiet(_ request: PollRequest, sequence: Int64) -> PollEnvelope {
        var envelope = envelope(.empty, request, from: sequence, to: sequence)
        if case .notRecorded(let since, _) = board.recording, let page = renderer.page(feedName: request.feed) {
            envelope.notice = renderer.notice(notRecordedSince: since, locale: page.locale)
        }
        return envelope
    }

    private func event(_ sequence: Int64, stream: String, revision: Int64, _ patches: [Patch]) -> ByteBuffer {
        var json = ByteBuffer()
        json.writeString("[\(sequence),")
        json.writeJSON(stream)
        json.writeString(",\(revision),")
        json.write(patches)
        json.writeString("]")
        return json
    }

    private func envelope(
        _ kind: PollEnvelope.Kind, _ request: PollRequest, from: Int64, to sequence: Int64
    ) -> PollEnvelope {
        PollEnvelope(
            kind: kind, epoch: urls.epoch, from: from, to: sequence, next: next(after: request, at: sequence),
            now: urls.now(request.feed, sequence), snap: urls.snap(request.feed))
    }

    /// The URL to go on with: never the one that was asked for, because caches may keep its answer for a while.
    private func next(after request: PollRequest, at sequence: Int64) -> String {
        let current = slots(request).slot(at: clock.wall)
        guard case .tail(let epoch, sequence, let slot) = request.kind, epoch == urls.epoch, slot >= current else {
            return urls.tail(request.feed, sequence, slot: current)
        }
        if slot == current { return urls.tail(request.feed, sequence, slot: current + 1) }
        return urls.now(request.feed, sequence)
    }

    private func slots(_ request: PollRequest) -> PollSlots { PollSlots(feed: request.feed) }

    private func isTail(_ request: PollRequest) -> Bool {
        if case .tail = request.kind { true } else { false }
    }
}
