import NIOCore
import ServiceLifecycle
import Synchronization
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages

/// Answers polls, at once or when their feed changes, and lets server tasks wait for changes.
final class PollResponder: Sendable {
    enum Reply: Sendable {
        case answer(PollAnswer)
        /// `deliver` is called once, unless the registration is left before.
        case held(WaitRegistration<ChangeWaiter>)
        case unknown
        case farSlot
        /// The run is not in memory. Poll again with the status of its feed.
        case notInMemory
        /// The answer requires rendering, which the caller does not allow.
        case unmade
    }

    /// How long a poll waits that is ahead of this server's view of a shared journal, in milliseconds.
    private static let catchingUp: Int64 = 1_000

    let answers: PollEncoder
    let streamAnswers: StreamAnswers
    let board: VisibleBoard
    private let renderer: PageRenderer
    private let clock: any WaitClock
    let softCap: Int
    let waitLists: WaitLists<ChangeWaiter>
    let holds: HoldCount
    private let audience: String?
    private let announcer: RecordingAnnouncer
    private let unfinished: UnfinishedWatch
    private let isRetired = Atomic<Bool>(false)
    private let pages = GenerationCache<String, LivePage>(limit: 1_000)

    /// `audience` is the label of the audience; nil if the feeds are public.
    init(
        board: VisibleBoard, renderer: PageRenderer, mount: MountPath, clock: any WaitClock, softCap: Int,
        audience: String?, caches: PollCaches, holds: HoldCount, presence: Presence?
    ) {
        self.board = board
        self.audience = audience
        self.holds = holds
        self.renderer = renderer
        self.clock = clock
        self.softCap = softCap
        let answers = PollEncoder(
            board: board, renderer: renderer, mount: mount, clock: clock, audience: audience, caches: caches,
            presence: presence)
        self.answers = answers
        let streamAnswers = StreamAnswers(board: board, clock: clock, isPublic: audience == nil, caches: caches)
        self.streamAnswers = streamAnswers
        let waitLists = WaitLists<ChangeWaiter>(
            source: board.feed, clock: clock,
            onRelease: ReleasedWaiters.answer(with: answers, streamAnswers, countedBy: holds))
        self.waitLists = waitLists
        announcer = RecordingAnnouncer(board, clock: clock) {
            waitLists.interrupt { if case .poll = $0 { true } else { false } }
        }
        unfinished = UnfinishedWatch(board.feed, clock: clock) { run in
            waitLists.interrupt(.output(run)) { if case .stream = $0 { false } else { true } }
        }
    }

    var held: Int { waitLists.count }

    var isDraining: Bool { waitLists.isDraining }

    /// Ends the waits of all server tasks, to free their connections.
    func letTasksGo() {
        waitLists.interrupt { if case .task = $0 { true } else { false } }
    }

    /// Ends the holds of polls and streams whose permissions have changed, and the waits of tasks that have lost their right.
    func lookAtRights() {
        waitLists.release { waiter in
            switch waiter {
            case .poll(let poll): poll.admission.change.map { .rights($0) }
            case .stream(let stream): stream.admission.change.map { .rights($0) }
            case .task(_, let right): right?.isHeld == false ? .interrupted : nil
            }
        }
    }

    /// Ends the holds of polls and streams and holds no more of them, because another catalog replaces this one; clients then
    /// reconnect to that.
    ///
    /// Server tasks continue to wait: a catalog does not change the visibility of an audience.
    func retire() {
        isRetired.store(true, ordering: .sequentiallyConsistent)
        waitLists.interrupt { if case .task = $0 { false } else { true } }
    }

    func drain() { waitLists.drain(spread: 1_200) }

    private func drainingOnShutdown<Value: Sendable>(_ wait: () async -> Value) async -> Value {
        await withGracefulShutdownHandler {
            await wait()
        } onGracefulShutdown: {
            self.drain()
        }
    }

    /// Waits for the answer to a held poll.
    ///
    /// Does not notice that the client disconnects; the slot bounds how long the registration is kept.
    func answer(
        to request: PollRequest, held place: WaitRegistration<ChangeWaiter>, delivered delivery: OneShot<PollAnswer>
    ) async -> PollAnswer {
        await drainingOnShutdown {
            await withTaskCancellationHandler {
                await delivery.value()
            } onCancel: {
                if leave(place) { delivery.send(answers.drain(request, sequence: request.sequence)) }
            }
        }
    }

    func mustRender(_ request: PollRequest) -> Bool {
        page(request.feed).map { !answers.hasMade(request, page: $0, from: request.sequence) } ?? false
    }

    /// Answers a tail or a catch-up.
    ///
    /// `deliver` is called on the event loop, and only after this method returned ``Reply/held(_:)``. `feedStatus` is the
    /// status of the feed, or nil to read it from memory. If `mayRender` is false, returns ``Reply/unmade``, or holds the
    /// poll until the answer is rendered elsewhere.
    func poll(
        _ request: PollRequest, of admission: Admission, feedStatus: PollDecision.FeedStatus? = nil,
        mayRender: Bool = true, on eventLoop: any EventLoop, deliver: @escaping @Sendable (PollAnswer) -> Void
    ) -> Reply {
        // First, so that a page that its reader may no longer see learns that the rights changed. The answer is the same for
        // a feed that does not exist.
        if let label = request.audience, label != audience { return .answer(answers.otherAudience(request)) }
        guard let page = page(request.feed) else { return .unknown }
        guard let feedStatus = feedStatus ?? self.feedStatus(of: page) else { return .notInMemory }
        guard request.audience == audience else { return .answer(answers.otherAudience(request)) }
        let sequence = request.sequence
        switch PollDecision(request, feedStatus: feedStatus, wall: clock.wall) {
        case .farSlot:
            return .farSlot
        case .otherEpoch:
            return .answer(
                answers.reset(request, .epoch, from: sequence, head: feedStatus.head, caching: .foreignEpoch))
        case .otherCatalog:
            // Cached briefly, because the current edition may be restored.
            return .answer(answers.reset(request, .catalog, from: sequence, head: feedStatus.head, caching: .brief))
        case .future:
            return .answer(answers.reset(request, .future, from: sequence, head: feedStatus.head, caching: .never))
        case .ahead:
            board.lookSoon()
            return hold(
                request, page: page, of: admission, for: Self.catchingUp, mayRender: mayRender, on: eventLoop,
                deliver: deliver)
        case .gap(let floor):
            return .answer(answers.gap(request, from: sequence, floor: floor, head: feedStatus.head))
        case .ended:
            return .answer(answers.end(request, sequence: sequence))
        case .nothing:
            return .answer(answers.empty(request, sequence: sequence, to: answers.visitor(of: page, admission)))
        case .behind:
            // Waits for the next release if the client was up to date at the last one, so that a burst becomes few answers.
            if case .tail(_, _, let slot) = request.kind, slot >= PollSlots(feed: request.feed).slot(at: clock.wall),
                holds.count < softCap
            {
                return hold(
                    request, page: page, of: admission, for: page.topic.topic.quiet, mayRender: mayRender,
                    on: eventLoop, deliver: deliver)
            }
            guard mayRender || answers.hasMade(request, page: page, from: sequence) else { return .unmade }
            return .answer(answers.batch(request, page: page, from: sequence))
        case .hold(let time):
            return hold(
                request, page: page, of: admission, for: time, mayRender: mayRender, on: eventLoop, deliver: deliver)
        }
    }

    /// Waits until the topic's head passes `sequence` or the right is lost, for at most `time` milliseconds.
    ///
    /// If `starts` is true, operations of the topic that run only while watched are started.
    func wait(
        for topic: Topic, after sequence: SequenceNumber, atMost time: Int64, right: HeldRight?, starts: Bool = true
    ) async -> WaitOutcome {
        let wait = OneShot<WaitOutcome>()
        // Rounded up to 100 ms, so that waits share timers.
        let deadline = (clock.uptime + time + 99) / 100 * 100
        switch waitLists.enter(.task(wait, right), topic: topic, after: sequence, until: deadline) {
        case .pass: return .published
        case .ended: return .ended
        case .draining: return .drained
        case .held(let place):
            let watch = board.watch(topic, starts: starts)
            defer { watch.release() }
            return await drainingOnShutdown {
                await withTaskCancellationHandler {
                    await wait.value()
                } onCancel: {
                    if place.leave() { wait.send(.expired) }
                }
            }
        }
    }

    private func page(_ feed: String) -> LivePage? {
        if let page = pages.known(feed) { return page }
        return renderer.page(feedName: feed).map { page in pages.value(for: feed, cost: { _ in 1 }) { page } }
    }

    /// Returns the status of a page's feed; nil if it is not in memory.
    private func feedStatus(of page: LivePage) -> PollDecision.FeedStatus? {
        if case .output(let run) = page.topic { return board.feed.output(of: run).map(feedStatus(of:)) }
        let topic = page.topic.topic
        let head = board.feed.head(of: topic)
        var isClosed = false
        if case .run = page.topic {
            guard head > 0, let run = board.feed.publication(at: head)?.run else { return nil }
            isClosed = run.record.endedAt != nil
        }
        return PollDecision.FeedStatus(
            epoch: answers.urls.epoch(of: page.feedName), head: head, floor: board.feed.floor(of: topic),
            isClosed: isClosed, isShared: board.isShared)
    }

    /// Returns the status of an output's feed; evicted lines are no gap, because the newest lines replace them on the page.
    func feedStatus(of output: OutputTail) -> PollDecision.FeedStatus {
        PollDecision.FeedStatus(
            epoch: board.epoch, head: output.head, floor: 0, isClosed: output.isClosed,
            isShared: board.isShared)
    }

    private func hold(
        _ request: PollRequest, page: LivePage, of admission: Admission, for time: Int64, mayRender: Bool,
        on eventLoop: any EventLoop, deliver: @escaping @Sendable (PollAnswer) -> Void
    ) -> Reply {
        let sequence = request.sequence
        guard holds.count < softCap else {
            return .answer(answers.busy(request, sequence: sequence))
        }
        let topic = page.topic.topic
        let visitor = answers.visitor(of: page, admission)
        if let visitor, answers.presence?.isBehind(visitor) == true {
            return .answer(answers.interrupted(request, sequence: sequence, to: visitor))
        }
        let waiter = HeldPoll(
            request: request, page: page, admission: admission,
            watch: board.watch(topic, starts: page.topic.startsOperations),
            visit: visitor.flatMap { answers.presence?.arrive($0) }, eventLoop: eventLoop, deliver: deliver)
        // Spreads simultaneous holds over ten deadlines, 100 ms apart.
        let jitter = Int64(holds.count % 10) * (PollSlots.jitter / 10)
        let longest = unfinished.hold(page.topic) ?? (PollSlots.length + PollSlots.jitter)
        let deadline = clock.uptime + min(time + jitter, longest)
        // An answer that is already cached needs no rendering.
        let mustWait = !mayRender && !answers.hasMade(request, page: page, from: sequence)
        return switch enter(.poll(waiter), topic: topic, after: sequence, until: deadline, mustWait: mustWait) {
        case .held(let place):
            missedRetiring(place) ? .answer(answers.interrupted(request, sequence: sequence)) : .held(place)
        case .pass: .answer(answers.batch(request, page: page, from: sequence))
        case .ended: .answer(answers.end(request, sequence: sequence))
        case .draining: .answer(answers.drain(request, sequence: sequence))
        }
    }

    /// Registers a waiter and counts it while it is held.
    func enter(
        _ waiter: ChangeWaiter, topic: Topic, after sequence: SequenceNumber, until deadline: Int64,
        mustWait: Bool = false
    ) -> WaitLists<ChangeWaiter>.Entry {
        // Counted first, because the release of the waiter may decrement the count at once.
        _ = holds.add()
        let entry = waitLists.enter(waiter, topic: topic, after: sequence, until: deadline, mustWait: mustWait)
        if case .held = entry { return entry }
        holds.remove()
        return entry
    }

    /// Whether the responder was retired right before this registration, which is then removed.
    func missedRetiring(_ place: WaitRegistration<ChangeWaiter>) -> Bool {
        isRetired.load(ordering: .sequentiallyConsistent) && leave(place)
    }

    /// Removes a poll's registration; returns false if its answer is already being delivered.
    func leave(_ place: WaitRegistration<ChangeWaiter>) -> Bool {
        guard place.leave() else { return false }
        holds.remove()
        return true
    }
}

final class HoldCount: Sendable {
    private let holding = Atomic<Int>(0)

    var count: Int { holding.load(ordering: .relaxed) }

    /// Increments the count and returns the new value.
    func add() -> Int { holding.add(1, ordering: .relaxed).newValue }

    func remove() { holding.subtract(1, ordering: .relaxed) }
}
