import NIOCore
import ServiceLifecycle
import Synchronization
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages

/// Answers polls, at once or when there is something to tell, and lets the server's own tasks wait for changes.
final class PollResponder: Sendable {
    /// What becomes of a poll.
    enum Reply: Sendable {
        /// To be written now.
        case answer(PollAnswer)
        /// `deliver` is called later, once, unless the place is left before.
        case held(WaitRegistration<ChangeWaiter>)
        /// There is no such feed.
        case unknown
        /// The slot lies too far ahead.
        case farSlot
        /// Memory does not know the run: ask again with the status of its feed looked up.
        case notInMemory
        /// The answer has to be rendered, which the caller may not do.
        case unmade
    }

    /// For how many milliseconds a poll is held that is ahead of a server which follows another.
    private static let catchingUp: Int64 = 1_000

    let answers: PollAnswers
    let streamAnswers: StreamAnswers
    let board: VisibleBoard
    private let renderer: PageRenderer
    private let clock: any WaitClock
    let softCap: Int
    let waitLists: WaitLists<ChangeWaiter>
    let holds: HoldCount
    private let audience: String?
    private let announcer: RecordingAnnouncer
    private let isRetired = Atomic<Bool>(false)
    /// Pages by the names of their feeds, as read before.
    private let pages = GenerationCache<String, LivePage>(limit: 1_000)

    /// `audience` is the label of those who are answered; nil where what they get is for everybody.
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
        let answers = PollAnswers(
            board: board, renderer: renderer, mount: mount, clock: clock, audience: audience, caches: caches,
            presence: presence)
        self.answers = answers
        let streamAnswers = StreamAnswers(board: board, clock: clock, isPublic: audience == nil, caches: caches)
        self.streamAnswers = streamAnswers
        let waitLists = WaitLists<ChangeWaiter>(source: board.feed, clock: clock) {
            var released = ReleasedWaiters(at: clock.wall, answers: answers, streamAnswers: streamAnswers)
            for release in $0 { released.add(release) }
            released.deliver()
        }
        self.waitLists = waitLists
        announcer = RecordingAnnouncer(board, clock: clock) {
            waitLists.interrupt { if case .poll = $0 { true } else { false } }
        }
    }

    /// How many polls and tasks are held.
    var held: Int { waitLists.count }

    /// Whether the server shuts down.
    var isDraining: Bool { waitLists.isDraining }

    /// Lets those tasks of the server go that wait for a change: others need their connections.
    func letTasksGo() {
        waitLists.interrupt { if case .task = $0 { true } else { false } }
    }

    /// Lets those polls go whose rights have changed, and all tasks, which look at theirs themselves.
    func lookAtRights() {
        waitLists.interrupt { waiter in
            switch waiter {
            case .poll(let poll): !poll.admission.isUnchanged
            case .stream(let stream): !stream.admission.isUnchanged
            case .task: true
            }
        }
    }

    /// Lets everybody go and holds nobody any more, as another catalog is shown from now on: they come back to that.
    func retire() {
        isRetired.store(true, ordering: .sequentiallyConsistent)
        waitLists.interrupt { _ in true }
    }

    /// Lets everybody go, within a good second, with the news that the server shuts down.
    func drain() { waitLists.drain(spread: 1_200) }

    /// Waits in a task of a server, which may be anybody's: when that shuts down, everybody here is let go.
    private func drainingOnShutdown<Value: Sendable>(_ wait: () async -> Value) async -> Value {
        await withGracefulShutdownHandler {
            await wait()
        } onGracefulShutdown: {
            self.drain()
        }
    }

    /// The answer to a held poll, where a task waits for it.
    ///
    /// A client that leaves is not noticed here; the slot bounds how long its place is kept.
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

    /// Whether the answer to a poll may have to be rendered first.
    func mustRender(_ request: PollRequest) -> Bool {
        page(request.feed).map { !answers.hasMade(request, page: $0, from: request.sequence) } ?? false
    }

    /// Answers a tail or a catch-up.
    ///
    /// `deliver` is called on the event loop, and only after this returned `held`. `feedStatus` is the status of the feed, where
    /// the caller looked it up; nil asks memory. A caller that must not render gets ``Reply/unmade``, or waits until the answer is
    /// rendered elsewhere.
    func poll(
        _ request: PollRequest, of admission: Admission, feedStatus: PollDecision.FeedStatus? = nil,
        mayRender: Bool = true, on eventLoop: any EventLoop, deliver: @escaping @Sendable (PollAnswer) -> Void
    ) -> Reply {
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
            // Kept for a moment only: what is in force now may be in force again.
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
            // A tail that was up to date at the last release waits for the next one, so that a burst is few answers.
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

    /// Waits until the topic's head is beyond a sequence, at most for a time in milliseconds.
    func wait(for topic: Topic, after sequence: SequenceNumber, atMost time: Int64) async -> WaitOutcome {
        let wait = OneShot<WaitOutcome>()
        // Rounded up to a tenth of a second: many waits then share few timers.
        let deadline = (clock.uptime + time + 99) / 100 * 100
        switch waitLists.enter(.task(wait), topic: topic, after: sequence, until: deadline) {
        case .pass: return .published
        case .ended: return .ended
        case .draining: return .drained
        case .held(let place):
            if missedRetiring(place, isCounted: false) { return .interrupted }
            let watch = board.watch(topic)
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

    /// How a page's feed stands; nil when memory cannot tell.
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

    /// How the feed of a run's output stands: what is too old to be appended is no gap, since the newest lines take its
    /// place on the page.
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
            request: request, page: page, admission: admission, watch: board.watch(topic),
            visit: visitor.flatMap { answers.presence?.arrive($0) }, eventLoop: eventLoop
        ) { [self] answer in
            holds.remove()
            deliver(answer)
        }
        // Those who came at one moment leave in steps: ten, a tenth of a second apart.
        let jitter = Int64(holds.count % 10) * (PollSlots.jitter / 10)
        let deadline = clock.uptime + min(time + jitter, PollSlots.length + PollSlots.jitter)
        // What others have been given is there for this one, too.
        let mustWait = !mayRender && !answers.hasMade(request, page: page, from: sequence)
        return switch enter(.poll(waiter), topic: topic, after: sequence, until: deadline, mustWait: mustWait) {
        case .held(let place):
            missedRetiring(place) ? .answer(answers.interrupted(request, sequence: sequence)) : .held(place)
        case .pass: .answer(answers.batch(request, page: page, from: sequence))
        case .ended: .answer(answers.end(request, sequence: sequence))
        case .draining: .answer(answers.drain(request, sequence: sequence))
        }
    }

    /// Enters a wait list, and counts who stays there.
    func enter(
        _ waiter: ChangeWaiter, topic: Topic, after sequence: SequenceNumber, until deadline: Int64,
        mustWait: Bool = false
    ) -> WaitLists<ChangeWaiter>.Entry {
        // Counted first: whoever is let go at once is counted out by then.
        _ = holds.add()
        let entry = waitLists.enter(waiter, topic: topic, after: sequence, until: deadline, mustWait: mustWait)
        if case .held = entry { return entry }
        holds.remove()
        return entry
    }

    /// Whether somebody came to wait right after all others were let go; then they have left again.
    private func missedRetiring(_ place: WaitRegistration<ChangeWaiter>, isCounted: Bool = true) -> Bool {
        guard isRetired.load(ordering: .sequentiallyConsistent) else { return false }
        return isCounted ? leave(place) : place.leave()
    }

    /// Gives up a poll's place; false when its answer is on its way.
    func leave(_ place: WaitRegistration<ChangeWaiter>) -> Bool {
        guard place.leave() else { return false }
        holds.remove()
        return true
    }
}
