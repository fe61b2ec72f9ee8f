import NIOCore
import Synchronization
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages

/// Makes the responses to polls, encoding each once for all identical requests.
final class PollEncoder: Sendable {
    /// The range of the client's reconnect delay after a shutdown, in milliseconds.
    static let drainRetry: ClosedRange<Int64> = 0...4_000
    /// The range of the client's reconnect delay when too many polls are held, in milliseconds.
    static let busyRetry: ClosedRange<Int64> = 3_000...6_000

    let urls: PollURLs
    private let board: VisibleBoard
    var feed: VisibleFeed { board.feed }
    let renderer: PageRenderer
    let clock: any WaitClock
    let caches: PollCaches
    /// Tracks who has a store's page open; nil if the pages do not show it.
    let presence: Presence?
    /// Part of every cache key, even if the URLs have no label: the permissions of the public audience may change.
    let audience: Audience
    let encoded = Atomic<Int>(0)
    private let began: Timestamp

    /// `audience` is the label of the audience; nil if the feeds are public.
    init(
        board: VisibleBoard, renderer: PageRenderer, mount: MountPath, clock: any WaitClock, audience: String?,
        caches: PollCaches, presence: Presence? = nil
    ) {
        self.board = board
        self.presence = presence
        self.caches = caches
        self.audience = Audience(board.permissions)
        urls = PollURLs(
            mount: mount, epoch: board.epoch, audience: audience, edition: board.catalog.edition,
            attention: { [board] in board.attentionLabel })
        self.renderer = renderer
        self.clock = clock
        began = Timestamp(milliseconds: clock.wall)
    }

    var notices: PageNotices { board.pageNotices }
    var pausedSchedules: Set<String> { board.pausedSchedules }
    var acknowledgements: [String: Acknowledgement] { board.acknowledgements }
    var schedulesWithoutStart: [String: ScheduleStanding] { board.schedulesWithoutStart }

    /// Returns the cache policy, made personal unless the feeds are public.
    func caching(_ caching: PollAnswer.Caching) -> PollAnswer.Caching {
        urls.audience == nil || caching == .never ? caching : .personal
    }

    func answer(body: ByteBuffer, caching: PollAnswer.Caching, closes: Bool = false) -> PollAnswer {
        PollAnswer(body: body, caching: self.caching(caching), closes: closes)
    }

    /// Restarts a client whose audience is not the one in the URL.
    ///
    /// Uses the client's own audience; the URL may belong to another one.
    func otherAudience(_ request: PollRequest) -> PollAnswer {
        let from = request.sequence
        let asked = PollRequest(audience: urls.audience, feed: request.feed, request.kind)
        var envelope = resetEnvelope(asked, .audience, from: from, head: from)
        if let page = renderer.page(feedName: request.feed) { envelope.notice = notice(notices, page) }
        return PollAnswer(body: envelope.encode(), caching: .personal)
    }

    /// Restarts a client whose permissions have changed, without any content that it may no longer see.
    func moved(_ request: PollRequest, to key: DashboardCache.Key) -> PollAnswer {
        let urls = PollURLs(
            mount: urls.mount, epoch: urls.epoch, audience: key.isPublic ? nil : key.audience.label,
            edition: urls.edition)
        let (feed, sequence) = (request.feed, request.sequence)
        var envelope = PollEnvelope(
            kind: .reset, epoch: urls.epoch, from: sequence, to: sequence,
            next: urls.tail(feed, sequence, slot: slots(request).slot(at: clock.wall)), now: urls.now(feed, sequence),
            snap: urls.snap(feed))
        envelope.reason = .audience
        return PollAnswer(body: envelope.encode(), caching: .personal)
    }

    var encodings: Int { encoded.load(ordering: .relaxed) }

    /// Returns an answer without changes.
    ///
    /// Answers to catch-ups may be cached for a second, because the tail that follows returns newer changes at once. Without
    /// caching, a proxy would forward each client's request after a restart.
    ///
    /// If `visitor` is given, the answer lists the other visitors.
    func empty(_ request: PollRequest, sequence: SequenceNumber, to visitor: Visitor? = nil) -> PollAnswer {
        let envelope = quiet(.empty, request, sequence: sequence, to: visitor)
        // Unfinished lines change without a new cursor.
        return answer(body: envelope.encode(), caching: isTail(request) && envelope.unfinished == nil ? .hold : .brief)
    }

    /// Returns an answer without changes, or a reset if the cursor is still ahead of the journal.
    func expired(
        _ request: PollRequest, page: LivePage, sequence: SequenceNumber, to visitor: Visitor? = nil
    ) -> PollAnswer {
        // Cursors of an output are line numbers.
        if case .output = page.topic { return empty(request, sequence: sequence) }
        if board.hasShown(sequence) || !board.isCurrent { return empty(request, sequence: sequence, to: visitor) }
        return reset(request, .future, from: sequence, head: feed.head(of: page.topic.topic), caching: .never)
    }

    /// Returns an answer without changes that carries new notices.
    ///
    /// Cached briefly, because the client may repeat the hold before its slot ends.
    func interrupted(_ request: PollRequest, sequence: SequenceNumber, to visitor: Visitor? = nil) -> PollAnswer {
        answer(body: quiet(.empty, request, sequence: sequence, to: visitor).encode(), caching: .brief)
    }

    func end(_ request: PollRequest, sequence: SequenceNumber) -> PollAnswer {
        answer(body: envelope(.end, request, from: sequence, to: sequence).encode(), caching: .hold)
    }

    /// Returns an answer that asks the client to retry later, because too many polls are held.
    func busy(_ request: PollRequest, sequence: SequenceNumber) -> PollAnswer {
        var envelope = quiet(.empty, request, sequence: sequence)
        envelope.retry = Self.busyRetry
        return answer(body: envelope.encode(), caching: .never)
    }

    /// Like ``busy(_:sequence:)``, but closes the connection so that others can use it.
    func crowded(_ request: PollRequest, sequence: SequenceNumber) -> PollAnswer {
        let answer = busy(request, sequence: sequence)
        return PollAnswer(body: answer.body, caching: answer.caching, closes: true)
    }

    /// Returns the answer during a shutdown; the client retries later.
    func drain(_ request: PollRequest, sequence: SequenceNumber) -> PollAnswer {
        var envelope = quiet(.drain, request, sequence: sequence)
        envelope.retry = Self.drainRetry
        return answer(body: envelope.encode(), caching: .hold, closes: true)
    }

    /// Resets a client whose next changes are no longer in memory, and names the lost range.
    func gap(_ request: PollRequest, from: SequenceNumber, floor: SequenceNumber, head: SequenceNumber) -> PollAnswer {
        // Nothing is lost that is kept: the page is rendered again without the deleted runs.
        if let topic = renderer.page(feedName: request.feed)?.topic.topic,
            from >= self.feed.floorWithoutDeletions(of: topic)
        {
            return reset(request, .catalog, from: from, head: head, caching: .hold)
        }
        var envelope = resetEnvelope(request, .gap, from: from, head: head)
        envelope.lost = from.next...floor
        return answer(body: envelope.encode(), caching: .hold)
    }

    /// Resets a client whose cursor cannot be used.
    func reset(
        _ request: PollRequest, _ reason: PollEnvelope.Reason, from: SequenceNumber, head: SequenceNumber,
        caching: PollAnswer.Caching
    ) -> PollAnswer {
        var envelope = resetEnvelope(request, reason, from: from, head: head)
        if reason == .epoch, let page = renderer.page(feedName: request.feed) {
            envelope.notice = notice(PageNotices(replacedAt: began), page)
        }
        return answer(body: envelope.encode(), caching: caching)
    }

    func cursor(_ page: LivePage, sequence: SequenceNumber, after: String?) -> PageCursor {
        let feed = page.feedName
        return PageCursor(
            epoch: urls.epoch, sequence: sequence,
            next: urls.tail(feed, sequence, slot: PollSlots(feed: feed).slot(at: clock.wall)),
            now: urls.now(feed, sequence), snap: urls.snap(feed), after: after)
    }

    private func resetEnvelope(
        _ request: PollRequest, _ reason: PollEnvelope.Reason, from: SequenceNumber, head: SequenceNumber
    ) -> PollEnvelope {
        var envelope = envelope(.reset, request, from: from, to: head)
        envelope.reason = reason
        return envelope
    }

    /// Returns an envelope without changes, with the current notices.
    private func quiet(
        _ kind: PollEnvelope.Kind, _ request: PollRequest, sequence: SequenceNumber, to visitor: Visitor? = nil
    ) -> PollEnvelope {
        var envelope = envelope(kind, request, from: sequence, to: sequence)
        if let page = renderer.page(feedName: request.feed) {
            envelope.notice = notice(notices, page)
            envelope.viewers = viewers(showing: visitor, page)
            if case .output(let run) = page.topic { envelope.unfinished = unfinished(of: run, page) }
        }
        return envelope
    }

    /// Returns the unfinished lines of an output, or nil if it has ended.
    func unfinished(of run: String, _ page: LivePage) -> String? {
        guard let tail = feed.output(of: run), !tail.isClosed else { return nil }
        return renderer.region(tail.unfinished, locale: page.locale)
    }

    func notice(_ notices: PageNotices, _ page: LivePage) -> String? {
        notices.isEmpty ? nil : renderer.notice(notices, locale: page.locale)
    }

    private func envelope(
        _ kind: PollEnvelope.Kind, _ request: PollRequest, from: SequenceNumber, to sequence: SequenceNumber
    ) -> PollEnvelope {
        PollEnvelope(
            kind: kind, epoch: urls.epoch, from: from, to: sequence, next: next(after: request, at: sequence),
            now: urls.now(request.feed, sequence, epoch: request.epoch), snap: urls.snap(request.feed))
    }

    /// Returns the URL to request next; it differs from the request's URL, because caches may keep that answer for a while.
    private func next(after request: PollRequest, at sequence: SequenceNumber) -> String {
        let current = slots(request).slot(at: clock.wall)
        // The epoch of the request, so that a page of an earlier edition is reset by its next poll.
        let epoch = request.epoch
        guard case .tail(_, sequence, let slot) = request.kind, slot >= current else {
            return urls.tail(request.feed, sequence, slot: current, epoch: epoch)
        }
        if slot == current { return urls.tail(request.feed, sequence, slot: current + 1, epoch: epoch) }
        return urls.now(request.feed, sequence, epoch: epoch)
    }

    func slots(_ request: PollRequest) -> PollSlots { PollSlots(feed: request.feed) }

    func isTail(_ request: PollRequest) -> Bool {
        if case .tail = request.kind { true } else { false }
    }
}

/// How to answer a poll, decided from the state of its feed alone.
enum PollDecision: Hashable, Sendable {
    /// The slot is later than the next one. Refused, so that clients cannot fill caches with future URLs.
    case farSlot
    /// The cursor belongs to another epoch.
    case otherEpoch
    /// The page was rendered from another edition of the catalog.
    case otherCatalog
    case future
    /// The cursor is ahead of the last change this server has read from a shared journal; another server may have served it.
    case ahead
    /// Changes after the cursor, up to `floor`, are no longer in memory.
    case gap(floor: SequenceNumber)
    /// The feed has changes after the cursor.
    case behind
    /// The feed has no changes after the cursor and is closed.
    case ended
    /// The feed has no changes after the cursor, and the request must not be held.
    case nothing
    /// The feed has no changes after the cursor. Hold the request for this many milliseconds.
    case hold(Int64)

    struct FeedStatus: Sendable {
        /// The journal's epoch, followed by the catalog's edition if the feed's URLs have it.
        var epoch: String
        var head: SequenceNumber
        var floor: SequenceNumber
        var isClosed: Bool
        /// Whether other servers write to the journal, so that clients may be ahead of this server.
        var isShared = false
    }

    init(_ request: PollRequest, feedStatus: FeedStatus, wall: Int64) {
        let slots = PollSlots(feed: request.feed)
        let current = slots.slot(at: wall)
        switch request.kind {
        case .snap:
            self = .nothing
        case .tail(_, _, let slot) where slot > current + 1:
            self = .farSlot
        case .tail(let epoch, _, _) where epoch != feedStatus.epoch, .now(let epoch, _) where epoch != feedStatus.epoch:
            let histories = [epoch, feedStatus.epoch].map { $0.prefix { $0 != "." } }
            self = histories[0] == histories[1] ? .otherCatalog : .otherEpoch
        case .tail(_, let sequence, _) where sequence > feedStatus.head,
            .now(_, let sequence) where sequence > feedStatus.head:
            self = feedStatus.isShared ? .ahead : .future
        case .tail(_, let sequence, _) where sequence < feedStatus.floor,
            .now(_, let sequence) where sequence < feedStatus.floor:
            self = .gap(floor: feedStatus.floor)
        case .tail(_, let sequence, _) where sequence < feedStatus.head,
            .now(_, let sequence) where sequence < feedStatus.head:
            self = .behind
        case .tail where feedStatus.isClosed, .now where feedStatus.isClosed:
            self = .ended
        case .tail(_, _, let slot) where slot == current:
            self = .hold(slots.rest(at: wall))
        case .tail(_, _, let slot) where slot == current + 1:
            // Any moment of this slot plus one slot length lies within the next slot, so a hold never exceeds one slot.
            self = .hold(PollSlots.length)
        case .tail, .now:
            self = .nothing
        }
    }
}
