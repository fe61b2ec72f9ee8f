import NIOCore
import WeirBoards
import WeirJournals

extension PollResponder {
    /// What became of a reader of a stream who came to wait.
    enum StreamEntry {
        /// The stream has moved already.
        case pass
        /// The stream has ended.
        case ended
        /// Waits; `deliver` is called later, once, unless the place is left before.
        case held(WaitRegistration<ChangeWaiter>)
        /// The server shuts down.
        case draining
        /// As many wait as may.
        case crowded
    }

    /// Holds a reader of a stream who has read up to a sequence, until an uptime in milliseconds.
    func hold(
        _ request: StreamRequest, of admission: Admission, at sequence: SequenceNumber, until deadline: Int64,
        on eventLoop: any EventLoop, deliver: @escaping @Sendable (StreamAnswer) -> Void
    ) -> StreamEntry {
        guard holds.count < softCap else { return .crowded }
        let topic = request.name.topic
        let waiter = HeldStream(
            request: request, admission: admission, sequence: sequence, watch: board.watch(topic), eventLoop: eventLoop
        ) { [self] answer in
            holds.remove()
            deliver(answer)
        }
        return switch enter(.stream(waiter), topic: topic, after: sequence, until: deadline) {
        case .held(let place): .held(place)
        case .pass: .pass
        case .ended: .ended
        case .draining: .draining
        }
    }
}
