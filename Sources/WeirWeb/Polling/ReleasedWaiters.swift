import NIOCore
import WeirBoards
import WeirFlows

/// Those who were let go together: each distinct answer is made once, and each event loop is woken once for many.
///
/// The first answers are on their way while those of the last are still looked for.
struct ReleasedWaiters {
    /// How many answers an event loop is handed at once: few at first, so that the first are soon on their way.
    private static let batches = (first: 16, most: 256)

    private let wall: Int64
    private let answers: PollAnswers
    private let streamAnswers: StreamAnswers
    private var pollAnswers: [PollQuestion: PollAnswer] = [:]
    private var madeForStreams: [HeldStream.Question: StreamAnswer] = [:]
    /// The last poll's answer: those who wait mostly ask the same, and to compare is cheaper than to hash.
    private var last: (question: PollQuestion, answer: PollAnswer)?
    private var deliveries: [ObjectIdentifier: Deliveries] = [:]

    /// `answers` and `streamAnswers` make what is delivered at a moment in milliseconds since 1970.
    init(at wall: Int64, answers: PollAnswers, streamAnswers: StreamAnswers) {
        self.wall = wall
        self.answers = answers
        self.streamAnswers = streamAnswers
    }

    /// Takes in one who was let go.
    mutating func add(_ release: WaitListMachine<ChangeWaiter>.Release) {
        switch release.waiter {
        case .task(let wait):
            wait.send(release.outcome)
        case .poll(let waiter):
            add(.poll(waiter, answer(to: waiter, release.outcome)), to: waiter.eventLoop)
        case .stream(let waiter):
            add(.stream(waiter, answer(to: waiter, release.outcome)), to: waiter.eventLoop)
        }
    }

    /// Hands what is left to the event loops.
    func deliver() {
        for waiting in deliveries.values { waiting.perform() }
    }

    private mutating func add(_ delivery: Delivery, to loop: any EventLoop) {
        deliveries[ObjectIdentifier(loop), default: Deliveries(loop: loop)].add(delivery)
    }

    private mutating func answer(to waiter: HeldPoll, _ outcome: WaitOutcome) -> PollAnswer {
        guard waiter.admission.isUnchanged else {
            // Made for nobody else: their rights are not those of whoever else waits here.
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
            // Asked again, and answered by the rights that are in force then.
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
        /// Who is shown who else is there; nil where that is not shown.
        let visitor: Visitor?
    }

    /// What is still to be handed to an event loop.
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
