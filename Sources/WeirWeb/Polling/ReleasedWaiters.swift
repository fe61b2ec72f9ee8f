import NIOCore
import WeirBoards
import WeirFlows
import WeirPages

/// A client that waits for a change: a live page's poll, a stream's reader, or a task of the server.
enum ChangeWaiter: Sendable {
    case poll(HeldPoll)
    case stream(HeldStream)
    /// With the right that the task needs, checked again before it sends anything; nil if its server is open.
    case task(OneShot<WaitOutcome>, HeldRight?)
}

final class HeldPoll: Sendable {
    let request: PollRequest
    let page: LivePage
    /// Checked again before the answer is sent.
    let admission: Admission
    /// Keeps work alive that runs only while watched.
    let watch: Watch
    /// Shows others that the client has the page open; nil if pages do not show it.
    let visit: Visit?
    let eventLoop: any EventLoop
    let deliver: @Sendable (PollAnswer) -> Void

    init(
        request: PollRequest, page: LivePage, admission: Admission, watch: Watch, visit: Visit?,
        eventLoop: any EventLoop, deliver: @escaping @Sendable (PollAnswer) -> Void
    ) {
        self.request = request
        self.page = page
        self.admission = admission
        self.watch = watch
        self.visit = visit
        self.eventLoop = eventLoop
        self.deliver = deliver
    }
}

/// Waiters released together; makes each distinct answer once and wakes each event loop once per batch.
///
/// The first answers are sent while later ones are still being made.
struct ReleasedWaiters {
    /// Batch sizes per event loop, growing from small, so that the first answers leave early.
    private static let batches = (first: 16, most: 256)

    private let wall: Int64
    private let answers: PollEncoder
    private let streamAnswers: StreamAnswers
    private let holds: HoldCount
    private var pollAnswers: [PollQuestion: PollAnswer] = [:]
    private var madeForStreams: [HeldStream.Question: StreamAnswer] = [:]
    /// The last poll's answer; most waiters ask the same, and comparing is cheaper than hashing.
    private var last: (question: PollQuestion, answer: PollAnswer)?
    private var deliveries: [ObjectIdentifier: Deliveries] = [:]

    /// Returns what wait lists do with the waiters that they release.
    static func answer(
        with answers: PollEncoder, _ streamAnswers: StreamAnswers, countedBy holds: HoldCount
    ) -> @Sendable ([WaitListMachine<ChangeWaiter>.Release]) -> Void {
        { releases in
            var released = ReleasedWaiters(
                wall: answers.clock.wall, answers: answers, streamAnswers: streamAnswers, holds: holds)
            for release in releases { released.add(release) }
            for waiting in released.deliveries.values { waiting.perform() }
        }
    }

    private init(wall: Int64, answers: PollEncoder, streamAnswers: StreamAnswers, holds: HoldCount) {
        self.wall = wall
        self.answers = answers
        self.streamAnswers = streamAnswers
        self.holds = holds
    }

    private mutating func add(_ release: WaitListMachine<ChangeWaiter>.Release) {
        switch release.waiter {
        case .task(let wait, _):
            wait.send(release.outcome)
        case .poll(let waiter):
            add(.poll(waiter, answer(to: waiter, release.outcome)), to: waiter.eventLoop)
        case .stream(let waiter):
            add(.stream(waiter, answer(to: waiter, release.outcome)), to: waiter.eventLoop)
        }
    }

    private mutating func add(_ delivery: Delivery, to loop: any EventLoop) {
        deliveries[ObjectIdentifier(loop), default: Deliveries(loop: loop, holds: holds)].add(delivery)
    }

    /// The change of a waiter's rights, decided once: at its interruption, or else here, since a change of the feed can
    /// release it first.
    private func rightsChange(_ outcome: WaitOutcome, _ admission: Admission) -> RightsChange? {
        if case .rights(let change) = outcome { change } else { admission.change }
    }

    private mutating func answer(to waiter: HeldPoll, _ outcome: WaitOutcome) -> PollAnswer {
        // Not cached: other waiters have other permissions.
        switch rightsChange(outcome, waiter.admission) {
        case .moved(let key): return answers.moved(waiter.request, to: key)
        case .ended: return .refused
        case nil: break
        }
        let question = PollQuestion(
            request: waiter.request, outcome: outcome, visitor: waiter.visit?.visitor)
        if let last, last.question == question { return last.answer }
        if let made = pollAnswers[question] {
            last = (question, made)
            return made
        }
        let sequence = waiter.request.sequence
        var answer =
            switch outcome {
            case .published: answers.batch(waiter.request, page: waiter.page, from: sequence)
            case .ended: answers.end(waiter.request, sequence: sequence)
            case .expired:
                answers.expired(waiter.request, page: waiter.page, sequence: sequence, to: question.visitor)
            case .interrupted, .rights: answers.interrupted(waiter.request, sequence: sequence, to: question.visitor)
            case .drained: answers.drain(waiter.request, sequence: sequence)
            }
        if !answer.closes, answer.message == nil { answer.message = answer.encoded(at: wall) }
        pollAnswers[question] = answer
        last = (question, answer)
        return answer
    }

    private mutating func answer(to waiter: HeldStream, _ outcome: WaitOutcome) -> StreamAnswer {
        switch rightsChange(outcome, waiter.admission) {
        // The client repeats the request, which then uses the current permissions.
        case .moved: return streamAnswers.again(waiter)
        case .ended: return .refused
        case nil: break
        }
        let question = HeldStream.Question(request: waiter.request, sequence: waiter.sequence, outcome: outcome)
        if let made = madeForStreams[question] { return made }
        var answer = waiter.answer(outcome, answers: streamAnswers)
        if !answer.closes { answer.message = answer.encoded(at: wall) }
        madeForStreams[question] = answer
        return answer
    }

    private struct PollQuestion: Hashable {
        let request: PollRequest
        let outcome: WaitOutcome
        /// The user that the answer lists the other visitors for; nil if the page does not show them.
        let visitor: Visitor?
    }

    private struct Deliveries {
        let loop: any EventLoop
        let holds: HoldCount
        private var list: [Delivery] = []
        private var batch = ReleasedWaiters.batches.first

        init(loop: any EventLoop, holds: HoldCount) {
            self.loop = loop
            self.holds = holds
        }

        mutating func add(_ delivery: Delivery) {
            list.append(delivery)
            guard list.count >= batch else { return }
            perform()
            batch = min(batch * 4, ReleasedWaiters.batches.most)
            list = []
            list.reserveCapacity(batch)
        }

        func perform() {
            guard !list.isEmpty else { return }
            loop.execute { [list, holds] in
                for delivery in list {
                    holds.remove()
                    delivery.perform()
                }
            }
        }
    }

    private enum Delivery: Sendable {
        case poll(HeldPoll, PollAnswer)
        case stream(HeldStream, StreamAnswer)

        func perform() {
            switch self {
            case .poll(let waiter, let answer): waiter.deliver(answer)
            case .stream(let waiter, let answer): waiter.deliver(answer)
            }
        }
    }
}
