import Boards
import Flows
import Journals
import NIOCore
import Pages
import ServiceLifecycle
import Synchronization

/// Answers polls, at once or when there is something to tell, and lets the server's own tasks wait for changes.
final class PollDesk: Sendable {
    /// What becomes of a poll.
    enum Reply {
        /// To be written now.
        case answer(PollAnswer)
        /// `deliver` is called later, once, unless the place is left before.
        case held(HoldPlace<HoldTicket>)
        /// There is no such feed.
        case unknown
        /// The slot lies too far ahead.
        case farSlot
        /// Memory does not know the run: ask again with its standing looked up.
        case notInMemory
    }

    let answers: PollAnswers
    let board: Board
    private let renderer: PageRenderer
    private let clock: any HoldClock
    private let softCap: Int
    private let room: HoldRoom<HoldTicket>
    private let holding = Atomic<Int>(0)
    private let announcer: RecordingAnnouncer

    init(board: Board, renderer: PageRenderer, mount: MountPath, clock: any HoldClock, softCap: Int) {
        self.board = board
        self.renderer = renderer
        self.clock = clock
        self.softCap = softCap
        let answers = PollAnswers(board: board, renderer: renderer, mount: mount, clock: clock)
        self.answers = answers
        let room = HoldRoom<HoldTicket>(source: board.feed, clock: clock) { Self.letGo($0, answers: answers) }
        self.room = room
        announcer = RecordingAnnouncer(board.recordingStatus, clock: clock) {
            room.interrupt { if case .poll = $0 { true } else { false } }
        }
    }

    /// How many polls and tasks are held.
    var held: Int { room.count }

    /// Whether the server shuts down.
    var isDraining: Bool { room.isDraining }

    /// Lets everybody go, within a good second, with the news that the server shuts down.
    func drain() { room.drain(spread: 1_200) }

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
        to request: PollRequest, held place: HoldPlace<HoldTicket>, delivered delivery: OneShot<PollAnswer>
    ) async -> PollAnswer {
        await drainingOnShutdown {
            await withTaskCancellationHandler {
                await delivery.value()
            } onCancel: {
                if leave(place) { delivery.send(answers.drain(request, sequence: request.sequence)) }
            }
        }
    }

    /// Answers a tail or a catch-up.
    ///
    /// `deliver` is called on the event loop, and only after this returned `held`. `standing` is how the feed stands, where
    /// the caller looked it up; nil asks memory.
    func poll(
        _ request: PollRequest, standing: PollDecision.Standing? = nil, on eventLoop: any EventLoop,
        deliver: @escaping @Sendable (PollAnswer) -> Void
    ) -> Reply {
        guard let page = renderer.page(feedName: request.feed) else { return .unknown }
        guard let standing = standing ?? self.standing(of: page) else { return .notInMemory }
        let sequence = request.sequence
        switch PollDecision(request, standing: standing, wall: clock.wall) {
        case .farSlot:
            return .farSlot
        case .otherEpoch:
            return .answer(
                answers.reset(request, .epoch, from: sequence, head: standing.head, caching: .foreignEpoch))
        case .future:
            return .answer(answers.reset(request, .future, from: sequence, head: standing.head, caching: .never))
        case .gap(let floor):
            return .answer(answers.gap(request, from: sequence, floor: floor, head: standing.head))
        case .ended:
            return .answer(answers.end(request, sequence: sequence))
        case .nothing:
            return .answer(answers.empty(request, sequence: sequence))
        case .behind:
            // A tail that was up to date at the last release waits for the next one, so that a burst is few answers.
            if case .tail(_, _, let slot) = request.kind, slot >= PollSlots(feed: request.feed).slot(at: clock.wall),
                holding.load(ordering: .relaxed) < softCap
            {
                return hold(request, page: page, for: page.topic.topic.quiet, on: eventLoop, deliver: deliver)
            }
            return .answer(answers.batch(request, page: page, from: sequence))
        case .hold(let time):
            return hold(request, page: page, for: time, on: eventLoop, deliver: deliver)
        }
    }

    /// Waits until the topic's head is beyond a sequence, at most for a time in milliseconds.
    func wait(for topic: Topic, after sequence: Int64, atMost time: Int64) async -> HoldOutcome {
        let wait = OneShot<HoldOutcome>()
        // Rounded up to a tenth of a second: many waits then share few timers.
        let deadline = (clock.uptime + time + 99) / 100 * 100
        switch room.enter(.task(wait), topic: topic, after: sequence, until: deadline) {
        case .pass: return .published
        case .draining: return .drained
        case .held(let place):
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

    /// How a page's feed stands; nil when memory cannot tell.
    private func standing(of page: LivePage) -> PollDecision.Standing? {
        if case .output(let run) = page.topic { return board.feed.output(of: run).map(standing(of:)) }
        let topic = page.topic.topic
        let head = board.feed.head(of: topic)
        var isClosed = false
        if case .run = page.topic {
            guard head > 0, let run = board.feed.publication(at: head)?.run else { return nil }
            isClosed = run.record.endedAt != nil
        }
        return PollDecision.Standing(
            epoch: board.epoch, head: head, floor: board.feed.floor(of: topic), isClosed: isClosed)
    }

    /// How the feed of a run's output stands: what is too old to be appended is no gap, since the newest lines take its
    /// place on the page.
    func standing(of output: OutputTail) -> PollDecision.Standing {
        PollDecision.Standing(epoch: board.epoch, head: output.head, floor: 0, isClosed: output.isClosed)
    }

    private func hold(
        _ request: PollRequest, page: LivePage, for time: Int64, on eventLoop: any EventLoop,
        deliver: @escaping @Sendable (PollAnswer) -> Void
    ) -> Reply {
        let sequence = request.sequence
        guard holding.load(ordering: .relaxed) < softCap else {
            return .answer(answers.busy(request, sequence: sequence))
        }
        let topic = page.topic.topic
        let count = holding.add(1, ordering: .relaxed).newValue
        let ticket = PollTicket(
            request: request, page: page, watch: board.watch(topic), eventLoop: eventLoop
        ) { [self] answer in
            holding.subtract(1, ordering: .relaxed)
            deliver(answer)
        }
        // Those who came at one moment leave in steps: ten, a tenth of a second apart.
        let jitter = Int64(count % 10) * (PollSlots.jitter / 10)
        let deadline = clock.uptime + min(time + jitter, PollSlots.length + PollSlots.jitter)
        switch room.enter(.poll(ticket), topic: topic, after: sequence, until: deadline) {
        case .held(let place):
            return .held(place)
        case .pass:
            holding.subtract(1, ordering: .relaxed)
            return .answer(answers.batch(request, page: page, from: sequence))
        case .draining:
            holding.subtract(1, ordering: .relaxed)
            return .answer(answers.drain(request, sequence: sequence))
        }
    }

    /// Gives up a poll's place; false when its answer is on its way.
    func leave(_ place: HoldPlace<HoldTicket>) -> Bool {
        guard place.leave() else { return false }
        holding.subtract(1, ordering: .relaxed)
        return true
    }

    /// Answers those who were let go: each distinct answer is made once, and each event loop is woken once.
    private static func letGo(_ releases: [HoldMachine<HoldTicket>.Release], answers: PollAnswers) {
        var made: [AnswerKey: PollAnswer] = [:]
        var deliveries: [ObjectIdentifier: (loop: any EventLoop, list: [Delivery])] = [:]
        for release in releases {
            switch release.ticket {
            case .task(let wait):
                wait.send(release.outcome)
            case .poll(let ticket):
                let key = AnswerKey(request: ticket.request, outcome: release.outcome)
                let answer = made[key] ?? answer(to: ticket, release.outcome, answers: answers)
                made[key] = answer
                deliveries[ObjectIdentifier(ticket.eventLoop), default: (ticket.eventLoop, [])].list
                    .append(Delivery(ticket: ticket, answer: answer))
            }
        }
        for (loop, list) in deliveries.values {
            loop.execute { for delivery in list { delivery.ticket.deliver(delivery.answer) } }
        }
    }

    private static func answer(to ticket: PollTicket, _ outcome: HoldOutcome, answers: PollAnswers) -> PollAnswer {
        let sequence = ticket.request.sequence
        return switch outcome {
        case .published: answers.batch(ticket.request, page: ticket.page, from: sequence)
        case .expired: answers.empty(ticket.request, sequence: sequence)
        case .interrupted: answers.interrupted(ticket.request, sequence: sequence)
        case .drained: answers.drain(ticket.request, sequence: sequence)
        }
    }

    private struct AnswerKey: Hashable {
        let request: PollRequest
        let outcome: HoldOutcome
    }

    private struct Delivery: Sendable {
        let ticket: PollTicket
        let answer: PollAnswer
    }
}
