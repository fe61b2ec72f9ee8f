import NIOCore
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals

/// Answers readers of streams from memory, at once or when there is something new.
final class StreamResponder: Sendable {
    /// What becomes of a request.
    enum Reply {
        /// To be written now.
        case answer(StreamAnswer)
        /// `deliver` is called later, once, unless the place is left before.
        case held(WaitRegistration<ChangeWaiter>)
        /// Memory does not know enough, or there is something wrong: the routes look further, and have the words.
        case askRoute
        /// More is held than may be.
        case crowded
    }

    let answers: StreamAnswers
    private let board: VisibleBoard
    private let polls: PollResponder
    private let clock: any WaitClock

    init(board: VisibleBoard, polls: PollResponder, clock: any WaitClock) {
        self.board = board
        self.polls = polls
        self.clock = clock
        answers = polls.streamAnswers
    }

    /// How a stream stands, as far as memory has it; nil where it does not know the stream.
    ///
    /// The floor is that of memory.
    func status(of name: StreamName) -> StreamStatus? {
        let topic = name.topic
        let head = board.feed.head(of: topic)
        var isClosed = false
        switch topic {
        case .board: guard !board.permissions.isLink else { return nil }
        case .run:
            guard head > 0, let run = board.feed.publication(at: head)?.run else { return nil }
            isClosed = run.record.endedAt != nil
        case .operation(let id): guard board.catalog[id] != nil else { return nil }
        case .store(let id): guard board.catalog.store(id) != nil else { return nil }
        case .output(let run):
            guard let tail = board.feed.output(of: run) else { return nil }
            return StreamStatus(head: tail.head, floor: tail.earlier, isClosed: tail.isClosed)
        }
        return StreamStatus(head: head, floor: board.feed.floor(of: topic), isClosed: isClosed)
    }

    /// Answers a request that may be held.
    ///
    /// `deliver` is called on the event loop, and only after this returned `held`. `status` is how the stream stands, where
    /// the caller looked it up; nil asks memory.
    func read(
        _ request: StreamRequest, of admission: Admission, status found: StreamStatus? = nil,
        on eventLoop: any EventLoop, deliver: @escaping @Sendable (StreamAnswer) -> Void
    ) -> Reply {
        guard let status = found ?? status(of: request.name) else { return .askRoute }
        // Where memory ends, the journal may have more.
        if request.start == .beginning, found == nil, status.floor > 0 { return .askRoute }
        switch answers.decision(request, status) {
        case .lost: return .askRoute
        case .end(let sequence): return .answer(answers.nothing(request, at: sequence, isClosed: true))
        case .read(let from):
            guard let chunk = answers.chunk(of: request.name, after: from) else { return .askRoute }
            let answer = answers.answer(request, chunk, from: from)
            guard request.mode == .longPoll, !chunk.isClosed else { return .answer(answer) }
            // One who was up to date at the last release waits for the next one, so that a burst is few answers.
            let reply = hold(
                request, of: admission, at: from, for: request.name.topic.quiet, on: eventLoop, deliver: deliver)
            if case .crowded = reply { return .answer(answer) }
            return reply
        case .nothing(let sequence):
            guard request.mode == .longPoll else {
                return .answer(answers.nothing(request, at: sequence, isClosed: false))
            }
            let time = StreamCursor.hold(at: clock.wall)
            return hold(request, of: admission, at: sequence, for: time, on: eventLoop, deliver: deliver)
        }
    }

    /// Gives up a reader's place; false when the answer is on its way.
    func leave(_ place: WaitRegistration<ChangeWaiter>) -> Bool { polls.leave(place) }

    /// Lets everybody go, as the server shuts down.
    func drain() { polls.drain() }

    private func hold(
        _ request: StreamRequest, of admission: Admission, at sequence: SequenceNumber, for time: Int64,
        on eventLoop: any EventLoop, deliver: @escaping @Sendable (StreamAnswer) -> Void
    ) -> Reply {
        let deadline = clock.uptime + time
        switch polls.hold(request, of: admission, at: sequence, until: deadline, on: eventLoop, deliver: deliver) {
        case .held(let place): return .held(place)
        case .pass:
            guard let chunk = answers.chunk(of: request.name, after: sequence) else { return .askRoute }
            return .answer(answers.answer(request, chunk, from: sequence))
        case .ended: return .answer(answers.nothing(request, at: sequence, isClosed: true))
        case .draining: return .answer(answers.drained(request, at: sequence))
        case .crowded: return .crowded
        }
    }
}

/// A reader of a stream who waits: what was asked, and how the answer is delivered.
final class HeldStream: Sendable {
    let request: StreamRequest
    /// Who asked; looked at again before the answer goes out.
    let admission: Admission
    /// How far the reader has come.
    let sequence: SequenceNumber
    /// Keeps what runs only while watched going.
    let watch: Watch
    /// Where `deliver` is called.
    let eventLoop: any EventLoop
    let deliver: @Sendable (StreamAnswer) -> Void

    init(
        request: StreamRequest, admission: Admission, sequence: SequenceNumber, watch: Watch, eventLoop: any EventLoop,
        deliver: @escaping @Sendable (StreamAnswer) -> Void
    ) {
        self.request = request
        self.admission = admission
        self.sequence = sequence
        self.watch = watch
        self.eventLoop = eventLoop
        self.deliver = deliver
    }

    /// What is the same for all who get one answer.
    struct Question: Hashable {
        let request: StreamRequest
        let sequence: SequenceNumber
        let outcome: WaitOutcome
    }

    /// The answer to one who is let go.
    func answer(_ outcome: WaitOutcome, answers: StreamAnswers) -> StreamAnswer {
        switch outcome {
        case .published:
            // What has left memory in the meantime is read with the next request, from the same place.
            answers.chunk(of: request.name, after: sequence).map { answers.answer(request, $0, from: sequence) }
                ?? answers.nothing(request, at: sequence, isClosed: false)
        case .ended: answers.nothing(request, at: sequence, isClosed: true)
        case .expired, .interrupted:
            answers.nothing(request, at: sequence, isClosed: answers.isClosed(request.name, at: sequence))
        case .drained: answers.drained(request, at: sequence)
        }
    }
}
