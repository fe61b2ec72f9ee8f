import NIOCore
import WeirAccess
import WeirBoards
import WeirJournals

/// Answers stream readers from memory, at once or when the stream changes.
final class StreamResponder: Sendable {
    enum Reply {
        case answer(StreamAnswer)
        case held(WaitRegistration<ChangeWaiter>)
        /// Memory does not suffice, or the request has a problem. The route continues and supplies the message.
        case askRoute
        /// The limit of held requests is reached.
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

    /// Returns the status of a stream in memory; nil if it is not there.
    ///
    /// `floor` is that of memory.
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
    /// `deliver` is called on the event loop, and only after this method returned ``Reply/held(_:)``. `found` is the status
    /// of the stream, or nil to read it from memory.
    func read(
        _ request: StreamRequest, of admission: Admission, status found: StreamStatus? = nil,
        on eventLoop: any EventLoop, deliver: @escaping @Sendable (StreamAnswer) -> Void
    ) -> Reply {
        guard let status = found ?? status(of: request.name) else { return .askRoute }
        // The journal may have earlier messages than memory.
        if request.start == .beginning, found == nil, status.floor > 0 { return .askRoute }
        switch answers.decision(request, status) {
        case .lost: return .askRoute
        case .end(let sequence): return .answer(answers.nothing(request, at: sequence, isClosed: true))
        case .read(let from):
            guard let chunk = answers.chunk(of: request.name, after: from) else { return .askRoute }
            let answer = answers.answer(request, chunk, from: from)
            guard request.mode == .longPoll, !chunk.isClosed else { return .answer(answer) }
            // Waits for the next release if the reader was up to date at the last one, so that a burst becomes few answers.
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

    /// Removes a reader's registration; returns false if its answer is already being delivered.
    func leave(_ place: WaitRegistration<ChangeWaiter>) -> Bool { polls.leave(place) }

    func drain() { polls.drain() }

    private func hold(
        _ request: StreamRequest, of admission: Admission, at sequence: SequenceNumber, for time: Int64,
        on eventLoop: any EventLoop, deliver: @escaping @Sendable (StreamAnswer) -> Void
    ) -> Reply {
        let deadline = clock.uptime + time
        switch polls.hold(request, of: admission, at: sequence, until: deadline, on: eventLoop, deliver: deliver) {
        case .held(let place):
            guard polls.missedRetiring(place) else { return .held(place) }
            let isClosed = answers.isClosed(request.name, at: sequence)
            return .answer(answers.nothing(request, at: sequence, isClosed: isClosed))
        case .pass:
            guard let chunk = answers.chunk(of: request.name, after: sequence) else { return .askRoute }
            return .answer(answers.answer(request, chunk, from: sequence))
        case .ended: return .answer(answers.nothing(request, at: sequence, isClosed: true))
        case .draining: return .answer(answers.drained(request, at: sequence))
        case .crowded: return .crowded
        }
    }
}

final class HeldStream: Sendable {
    let request: StreamRequest
    let admission: Admission
    let sequence: SequenceNumber
    /// Keeps work alive that runs only while watched.
    let watch: Watch
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

    /// The key of answers that waiters share.
    struct Question: Hashable {
        let request: StreamRequest
        let sequence: SequenceNumber
        let outcome: WaitOutcome
    }

    func answer(_ outcome: WaitOutcome, answers: StreamAnswers) -> StreamAnswer {
        switch outcome {
        case .published:
            // Messages evicted meanwhile are read by the next request, from the same position.
            answers.chunk(of: request.name, after: sequence).map { answers.answer(request, $0, from: sequence) }
                ?? answers.nothing(request, at: sequence, isClosed: false)
        case .ended: answers.nothing(request, at: sequence, isClosed: true)
        case .expired, .interrupted, .rights:
            answers.nothing(request, at: sequence, isClosed: answers.isClosed(request.name, at: sequence))
        case .drained: answers.drained(request, at: sequence)
        }
    }
}

extension PollResponder {
    enum StreamEntry {
        /// The feed has already passed the sequence.
        case pass
        case ended
        /// Waits. `deliver` is called once, unless the registration is left before.
        case held(WaitRegistration<ChangeWaiter>)
        case draining
        case crowded
    }

    /// Holds a reader that has read up to `sequence`, until `deadline`, an uptime in milliseconds.
    func hold(
        _ request: StreamRequest, of admission: Admission, at sequence: SequenceNumber, until deadline: Int64,
        on eventLoop: any EventLoop, deliver: @escaping @Sendable (StreamAnswer) -> Void
    ) -> StreamEntry {
        guard holds.count < softCap else { return .crowded }
        let topic = request.name.topic
        let waiter = HeldStream(
            request: request, admission: admission, sequence: sequence, watch: board.watch(topic), eventLoop: eventLoop,
            deliver: deliver)
        return switch enter(.stream(waiter), topic: topic, after: sequence, until: deadline) {
        case .held(let place): .held(place)
        case .pass: .pass
        case .ended: .ended
        case .draining: .draining
        }
    }
}
