import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import WeirBoards
import WeirJournals

/// The wait lists of all topics; a list is created on first use and removed when empty.
final class WaitLists<Waiter: Sendable>: Sendable {
    enum Entry {
        case pass(head: SequenceNumber)
        case held(WaitRegistration<Waiter>)
        case draining
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

    /// Creates an empty set of lists.
    ///
    /// `onRelease` is called outside of any lock with the released waiters, which have left their lists.
    init(
        source: any HeadSource, clock: any WaitClock,
        onRelease: @escaping @Sendable ([WaitListMachine<Waiter>.Release]) -> Void
    ) {
        self.source = source
        self.clock = clock
        self.onRelease = onRelease
    }

    /// Waits until the topic's head passes `after`, until `deadline`, an uptime in milliseconds.
    ///
    /// If `mustWait` is true and the head has passed, the waiter is held and released at once.
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

    /// Releases all waiters within `spread` milliseconds and refuses new ones.
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

    /// Releases the waiters for which `outcome` is not nil; they may wait again.
    func release(as outcome: (Waiter) -> WaitOutcome?) {
        for waitList in state.withLockedValue({ Array($0.waitLists.values) }) { waitList.release(as: outcome) }
    }

    func interrupt(where fits: (Waiter) -> Bool) { release { fits($0) ? .interrupted : nil } }

    func interrupt(_ topic: Topic, where fits: (Waiter) -> Bool) {
        state.withLockedValue { $0.waitLists[topic] }?.release { fits($0) ? .interrupted : nil }
    }

    var isDraining: Bool { state.withLockedValue { $0.isDraining } }

    /// Locks each list, so do not read it per request.
    var count: Int { state.withLockedValue { Array($0.waitLists.values) }.reduce(0) { $0 + $1.count } }

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

struct WaitRegistration<Waiter: Sendable>: Sendable {
    let waitList: WaitList<Waiter>
    let id: WaitListMachine<Waiter>.ID

    /// Leaves the list; returns false if the waiter was already released.
    func leave() -> Bool { waitList.leave(id) != nil }
}

protocol WaitClock: Sendable {
    /// Monotonic time in milliseconds.
    var uptime: Int64 { get }
    /// Milliseconds since 1 January 1970, UTC; may jump.
    var wall: Int64 { get }
    /// Calls `body` once at an uptime or shortly after, on an unspecified thread. Calls it soon if the uptime has passed, but
    /// never before this method returns.
    func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void)
}

/// The parts of a feed that waiting requires: the head of each topic, its changes, and whether the topic has ended.
protocol HeadSource: Sendable {
    func head(of topic: Topic) -> SequenceNumber
    func isEnded(_ topic: Topic) -> Bool
    /// Calls `onMove` with the new head after each change of the topic, and when the topic ends, until the returned object is
    /// released.
    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable
}

extension VisibleFeed: HeadSource {
    /// Whether the topic is the output of an ended run; the end moves no head, unlike a run's last change.
    func isEnded(_ topic: Topic) -> Bool {
        guard case .output(let run) = topic else { return false }
        return output(of: run)?.isClosed ?? false
    }

    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable {
        observe(topic, after: nil, onPublish: onMove)
    }
}
