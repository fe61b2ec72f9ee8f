import NIOCore
import Synchronization
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages

/// Makes the answers to polls, each encoded once for everybody who asks the same.
final class PollAnswers: Sendable {
    /// Within which a client comes back after the server told it that it shuts down, in milliseconds.
    static let drainRetry: ClosedRange<Int64> = 0...4_000
    /// Within which a client comes back when too many hold already, in milliseconds.
    static let busyRetry: ClosedRange<Int64> = 3_000...6_000

    let urls: PollURLs
    private let board: VisibleBoard
    var feed: VisibleFeed { board.feed }
    let renderer: PageRenderer
    let clock: any WaitClock
    let caches: PollCaches
    /// Who has stores' pages open; nil where that is not shown.
    let presence: Presence?
    /// Whose answers are kept under it, also where addresses have no label: who is everybody may change.
    let audience: Audience
    let encoded = Atomic<Int>(0)
    /// When this history began to be shown.
    private let began: Timestamp

    /// `audience` is the label of those who are answered; nil where what they get is for everybody.
    init(
        board: VisibleBoard, renderer: PageRenderer, mount: MountPath, clock: any WaitClock, audience: String?,
        caches: PollCaches, presence: Presence? = nil
    ) {
        self.board = board
        self.presence = presence
        self.caches = caches
        self.audience = Audience(board.permissions)
        urls = PollURLs(
            mount: mount, epoch: board.epoch, audience: audience, edition: board.catalog.edition)
        self.renderer = renderer
        self.clock = clock
        began = Timestamp(milliseconds: clock.wall)
    }

    /// What stands above every page at this moment.
    var notices: PageNotices { board.pageNotices }

    /// What a cache may do with an answer that it could keep, were it for everybody.
    func caching(_ caching: PollAnswer.Caching) -> PollAnswer.Caching {
        urls.audience == nil || caching == .never ? caching : .personal
    }

    func answer(body: ByteBuffer, caching: PollAnswer.Caching, closes: Bool = false) -> PollAnswer {
        PollAnswer(body: body, caching: self.caching(caching), closes: closes)
    }

    /// Whoever asks belongs to another audience than the one in the address: where to start over.
    ///
    /// Asked of the audience that they belong to; the address may be anybody's.
    func otherAudience(_ request: PollRequest) -> PollAnswer {
        let from = request.sequence
        let asked = PollRequest(audience: urls.audience, feed: request.feed, request.kind)
        var envelope = resetEnvelope(asked, .audience, from: from, head: from)
        if let page = renderer.page(feedName: request.feed) { envelope.notice = notice(notices, page) }
        return PollAnswer(body: envelope.encode(), caching: .personal)
    }

    /// The rights of whoever asked have changed: where to start over, and nothing of what may not be seen any more.
    func moved(_ request: PollRequest, to key: AudienceDashboards.Key) -> PollAnswer {
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

    /// How many batches were encoded so far.
    var encodings: Int { encoded.load(ordering: .relaxed) }

    /// Nothing new.
    ///
    /// A catch-up may be a second old: what has happened since, the tail that follows answers at once. Were it not kept at
    /// all, a proxy would ask for each of its followers in turn after a restart.
    ///
    /// A visitor is shown who else is there.
    func empty(_ request: PollRequest, sequence: SequenceNumber, to visitor: Visitor? = nil) -> PollAnswer {
        let envelope = quiet(.empty, request, sequence: sequence, to: visitor)
        return answer(body: envelope.encode(), caching: isTail(request) ? .hold : .brief)
    }

    /// Nothing new came; to one who is still ahead of all that the journal holds: start over.
    func expired(
        _ request: PollRequest, page: LivePage, sequence: SequenceNumber, to visitor: Visitor? = nil
    ) -> PollAnswer {
        // The places of an output are numbers of lines.
        if case .output = page.topic { return empty(request, sequence: sequence) }
        if board.hasShown(sequence) || !board.isCurrent { return empty(request, sequence: sequence, to: visitor) }
        return reset(request, .future, from: sequence, head: feed.head(of: page.topic.topic), caching: .never)
    }

    /// Nothing new, but something to say.
    ///
    /// Kept for a moment only, as the hold might be asked for again before its slot is over.
    func interrupted(_ request: PollRequest, sequence: SequenceNumber, to visitor: Visitor? = nil) -> PollAnswer {
        answer(body: quiet(.empty, request, sequence: sequence, to: visitor).encode(), caching: .brief)
    }

    /// Nothing new, and nothing ever will be.
    func end(_ request: PollRequest, sequence: SequenceNumber) -> PollAnswer {
        answer(body: envelope(.end, request, from: sequence, to: sequence).encode(), caching: .hold)
    }

    /// Nothing new, and too many hold already: come back after a while instead.
    func busy(_ request: PollRequest, sequence: SequenceNumber) -> PollAnswer {
        var envelope = quiet(.empty, request, sequence: sequence)
        envelope.retry = Self.busyRetry
        return answer(body: envelope.encode(), caching: .never)
    }

    /// Nothing new, and others need the connection: come back after a while, on another one.
    func crowded(_ request: PollRequest, sequence: SequenceNumber) -> PollAnswer {
        let answer = busy(request, sequence: sequence)
        return PollAnswer(body: answer.body, caching: answer.caching, closes: true)
    }

    /// The server shuts down: come back after a while.
    func drain(_ request: PollRequest, sequence: SequenceNumber) -> PollAnswer {
        var envelope = quiet(.drain, request, sequence: sequence)
        envelope.retry = Self.drainRetry
        return answer(body: envelope.encode(), caching: .hold, closes: true)
    }

    /// Changes after the cursor are gone: what, and where to start over.
    func gap(_ request: PollRequest, from: SequenceNumber, floor: SequenceNumber, head: SequenceNumber) -> PollAnswer {
        var envelope = resetEnvelope(request, .gap, from: from, head: head)
        envelope.lost = from.next...floor
        return answer(body: envelope.encode(), caching: .hold)
    }

    /// The cursor is of no use: start over.
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

    /// Where a page that shows the feed up to a sequence goes on.
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

    /// An envelope without changes, with what stands above every page.
    private func quiet(
        _ kind: PollEnvelope.Kind, _ request: PollRequest, sequence: SequenceNumber, to visitor: Visitor? = nil
    ) -> PollEnvelope {
        var envelope = envelope(kind, request, from: sequence, to: sequence)
        if let page = renderer.page(feedName: request.feed) {
            envelope.notice = notice(notices, page)
            envelope.viewers = viewers(showing: visitor, page)
        }
        return envelope
    }

    func notice(_ notices: PageNotices, _ page: LivePage) -> String? {
        notices.isEmpty ? nil : renderer.notice(notices, locale: page.locale)
    }

    private func envelope(
        _ kind: PollEnvelope.Kind, _ request: PollRequest, from: SequenceNumber, to sequence: SequenceNumber
    ) -> PollEnvelope {
        PollEnvelope(
            kind: kind, epoch: urls.epoch, from: from, to: sequence, next: next(after: request, at: sequence),
            now: urls.now(request.feed, sequence), snap: urls.snap(request.feed))
    }

    /// The URL to go on with: never the one that was asked for, because caches may keep its answer for a while.
    private func next(after request: PollRequest, at sequence: SequenceNumber) -> String {
        let current = slots(request).slot(at: clock.wall)
        guard case .tail(let epoch, sequence, let slot) = request.kind, epoch == urls.epoch(of: request.feed),
            slot >= current
        else {
            return urls.tail(request.feed, sequence, slot: current)
        }
        if slot == current { return urls.tail(request.feed, sequence, slot: current + 1) }
        return urls.now(request.feed, sequence)
    }

    func slots(_ request: PollRequest) -> PollSlots { PollSlots(feed: request.feed) }

    func isTail(_ request: PollRequest) -> Bool {
        if case .tail = request.kind { true } else { false }
    }
}
