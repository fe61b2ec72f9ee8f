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
    private var pollAnswers: [PollQuestion: PollAnswer] = [:]
    private var madeForStreams: [HeldStream.Question: StreamAnswer] = [:]
    /// The last poll's answer; most waiters ask the same, and comparing is cheaper than hashing.
    private var last: (question: PollQuestion, answer: PollAnswer)?
    private var deliveries: [ObjectIdentifier: Deliveries] = [:]

    /// `wall` is the time of delivery in milliseconds since 1970.
    init(at wall: Int64, answers: PollEncoder, streamAnswers: StreamAnswers) {
        self.wall = wall
        self.answers = answers
        self.streamAnswers = streamAnswers
    }

    mutating func add(_ release: WaitListMachine<ChangeWaiter>.Release) {
        switch release.waiter {
        case .task(let wait, _):
            wait.send(release.outcome)
        case .poll(let waiter):
            add(.poll(waiter, answer(to: waiter, release.outcome)), to: waiter.eventLoop)
        case .stream(let waiter):
            add(.stream(waiter, answer(to: waiter, release.outcome)), to: waiter.eventLoop)
        }
    }

    func deliver() {
        for waiting in deliveries.values { waiting.perform() }
    }

    private mutating func add(_ delivery: Delivery, to loop: any EventLoop) {
        deliveries[ObjectIdentifier(loop), default: Deliveries(loop: loop)].add(delivery)
    }

    private mutating func answer(to waiter: HeldPoll, _ outcome: WaitOutcome) -> PollAnswer {
        guard waiter.admission.isUnchanged else {
            // Not cached: other waiters have other permissions.
            return waiter.admission.current.map { answers.moved(waiter.request, to: $0.key) } ?? .refused
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
            case .interrupted: answers.interrupted(waiter.request, sequence: sequence, to: question.visitor)
            case .drained: answers.drain(waiter.request, sequence: sequence)
            }
        if !answer.closes, answer.message == nil { answer.message = answer.encoded(at: wall) }
        pollAnswers[question] = answer
        last = (question, answer)
        return answer
    }

    private mutating func answer(to waiter: HeldStream, _ outcome: WaitOutcome) -> StreamAnswer {
        guard waiter.admission.isUnchanged else {
            // The client repeats the request, which then uses the current permissions.
            return waiter.admission.current == nil ? .refused : streamAnswers.again(waiter)
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
        private var list: [Delivery] = []
        private var batch = ReleasedWaiters.batches.first

        init(loop: any EventLoop) { self.loop = loop }

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
            loop.execute { [list] in for delivery in list { delivery.perform() } }
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
