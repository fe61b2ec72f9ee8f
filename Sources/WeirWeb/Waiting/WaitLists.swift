import NIOConcurrencyHelpers
import WeirJournals

/// Holds everyone who waits for a change: one wait list per topic, created on first use and removed when empty.
final class WaitLists<Waiter: Sendable>: Sendable {
    /// What became of a new waiter.
    enum Entry {
        case pass(head: SequenceNumber)
        case held(WaitRegistration<Waiter>)
        case draining
        /// Nothing ever follows.
        case ended
    }

    private struct State {
        var waitLists: [Topic: WaitList<Waiter>] = [:]
        var isDraining = false
    }

    private let source: any HeadSource
    private let clock: any WaitClock
    private let onRelease: @Sendable ([WaitListMachine<Waiter>.Release]) -> Void
    private let state = NIOLockedValueBox(State())

    /// Creates the lists.
    ///
    /// `onRelease` is called outside of any lock with those who are released; they are no longer in a list.
    init(
        source: any HeadSource, clock: any WaitClock,
        onRelease: @escaping @Sendable ([WaitListMachine<Waiter>.Release]) -> Void
    ) {
        self.source = source
        self.clock = clock
        self.onRelease = onRelease
    }

    /// Waits for a change of the topic after a sequence, until an uptime in milliseconds.
    ///
    /// One who must wait is never let pass, but released at once if the topic has moved already.
    func enter(
        _ waiter: Waiter, topic: Topic, after: SequenceNumber, until deadline: Int64, mustWait: Bool = false
    ) -> Entry {
        while true {
            guard let waitList = waitList(of: topic) else { return .draining }
            switch waitList.enter(waiter, after: after, until: deadline, mustWait: mustWait) {
            case .pass(let head): return .pass(head: head)
            case .draining: return .draining
            case .ended: return .ended
            case .held(let id): return .held(WaitRegistration(waitList: waitList, id: id))
            case .closed: continue
            }
        }
    }

    /// Lets everybody go within `spread` milliseconds and holds nobody any more.
    func drain(spread: Int64) {
        let waitLists = state.withLockedValue { state -> [Topic: WaitList<Waiter>] in
            guard !state.isDraining else { return [:] }
            state.isDraining = true
            return state.waitLists
        }
        for (index, waitList) in waitLists.values.enumerated() {
            waitList.drain(spread: spread, seed: UInt64(clamping: index))
        }
    }

    /// Lets those go who fit, though there is no change; they may come back.
    func interrupt(where fits: (Waiter) -> Bool) {
        for waitList in state.withLockedValue({ Array($0.waitLists.values) }) { waitList.interrupt(where: fits) }
    }

    /// The same for those who wait for one topic.
    func interrupt(_ topic: Topic, where fits: (Waiter) -> Bool) {
        state.withLockedValue { $0.waitLists[topic] }?.interrupt(where: fits)
    }

    /// Whether the server shuts down.
    var isDraining: Bool { state.withLockedValue { $0.isDraining } }

    /// How many wait.
    ///
    /// Counts, so it is not for each request.
    var count: Int { state.withLockedValue { Array($0.waitLists.values) }.reduce(0) { $0 + $1.count } }

    /// How many topics have a wait list.
    var waitListCount: Int { state.withLockedValue { $0.waitLists.count } }

    private func waitList(of topic: Topic) -> WaitList<Waiter>? {
        let (waitList, isNew) = state.withLockedValue { state -> (WaitList<Waiter>?, Bool) in
            if state.isDraining { return (nil, false) }
            if let waitList = state.waitLists[topic] { return (waitList, false) }
            let waitList = WaitList<Waiter>(
                topic: topic, source: source, clock: clock, onRelease: onRelease,
                onClose: { [weak self] in self?.remove($0) })
            state.waitLists[topic] = waitList
            return (waitList, true)
        }
        if isNew { waitList?.open() }
        return waitList
    }

    private func remove(_ waitList: WaitList<Waiter>) {
        state.withLockedValue { state in
            if state.waitLists[waitList.topic] === waitList { state.waitLists[waitList.topic] = nil }
        }
    }
}

/// A waiter in a wait list, which can leave it early.
struct WaitRegistration<Waiter: Sendable>: Sendable {
    let waitList: WaitList<Waiter>
    let id: WaitListMachine<Waiter>.ID

    /// Gives up waiting; false when one was let go before, and will be or has been told.
    func leave() -> Bool { waitList.leave(id) != nil }
}
