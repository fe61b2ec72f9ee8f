import NIOConcurrencyHelpers
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

    /// Releases the matching waiters, which may wait again.
    func interrupt(where fits: (Waiter) -> Bool) {
        for waitList in state.withLockedValue({ Array($0.waitLists.values) }) { waitList.interrupt(where: fits) }
    }

    func interrupt(_ topic: Topic, where fits: (Waiter) -> Bool) {
        state.withLockedValue { $0.waitLists[topic] }?.interrupt(where: fits)
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

/// The wait list of one topic: its state machine behind a lock, and its timer.
final class WaitList<Waiter: Sendable>: Sendable {
    enum Entry {
        case pass(head: SequenceNumber)
        case held(WaitListMachine<Waiter>.ID)
        case draining
        case ended
        /// The list was closed concurrently; request a new one.
        case closed
    }

    private struct State: Sendable {
        var machine: WaitListMachine<Waiter>
        var timers: Set<Int64> = []
        var isNotified = false
        var isClosed = false
        var observation: (any Sendable)?
    }

    let topic: Topic
    private let source: any HeadSource
    private let clock: any WaitClock
    private let onRelease: @Sendable ([WaitListMachine<Waiter>.Release]) -> Void
    private let onClose: @Sendable (WaitList) -> Void
    private let state: NIOLockedValueBox<State>

    init(
        topic: Topic, source: any HeadSource, clock: any WaitClock,
        onRelease: @escaping @Sendable ([WaitListMachine<Waiter>.Release]) -> Void,
        onClose: @escaping @Sendable (WaitList) -> Void
    ) {
        self.topic = topic
        self.source = source
        self.clock = clock
        self.onRelease = onRelease
        self.onClose = onClose
        state = NIOLockedValueBox(
            State(machine: WaitListMachine(head: source.head(of: topic), now: clock.uptime, quiet: topic.quiet)))
    }

    /// Starts following the topic.
    ///
    /// Must be called once, by the creator of the list; waiters may enter before.
    func open() {
        let observation = source.watchHead(of: topic) { [weak self] head in self?.headMoved(head) }
        state.withLockedValue { $0.observation = observation }
        // Catches changes between the creation of the list and the observation.
        headMoved(source.head(of: topic))
    }

    func enter(_ waiter: Waiter, after: SequenceNumber, until deadline: Int64, mustWait: Bool = false) -> Entry {
        let now = clock.uptime
        let (entry, timer) = state.withLockedValue { state -> (Entry, Int64?) in
            guard !state.isClosed else { return (.closed, nil) }
            // The head is read under the lock, so that each change is either seen here or finds the waiter. The end is read
            // first, so that the change right before it is seen too.
            let isEnded = source.isEnded(topic)
            let known = source.head(of: topic)
            switch state.machine.enter(
                waiter, after: after, until: deadline, known: known, isEnded: isEnded, mustWait: mustWait, now: now)
            {
            case .pass(let head): return (.pass(head: head), Self.arm(&state))
            case .draining: return (.draining, Self.arm(&state))
            case .ended: return (.ended, Self.arm(&state))
            case .held(let id): return (.held(id), Self.arm(&state))
            }
        }
        schedule(timer)
        return entry
    }

    func leave(_ id: WaitListMachine<Waiter>.ID) -> Waiter? {
        let now = clock.uptime
        let (waiter, timer) = state.withLockedValue { state in
            (state.machine.leave(id, now: now), Self.arm(&state))
        }
        schedule(timer)
        return waiter
    }

    func drain(spread: Int64, seed: UInt64) {
        let now = clock.uptime
        perform { state in
            state.machine.drain(spread: spread, seed: seed, now: now)
            return state.machine.wake(now: now)
        }
    }

    func interrupt(where fits: (Waiter) -> Bool) {
        let now = clock.uptime
        perform { $0.machine.interrupt(now: now, where: fits) }
    }

    var count: Int { state.withLockedValue { $0.machine.count } }

    /// Schedules the release, because the publisher's thread must not render or write.
    private func headMoved(_ head: SequenceNumber) {
        let isFirst = state.withLockedValue { state -> Bool in
            guard !state.isNotified, !state.isClosed else { return false }
            state.isNotified = true
            return true
        }
        guard isFirst else { return }
        clock.schedule(at: clock.uptime) { [weak self] in
            guard let self else { return }
            let now = self.clock.uptime
            self.perform { state in
                state.isNotified = false
                let isEnded = self.source.isEnded(self.topic)
                let last = max(head, self.source.head(of: self.topic))
                return state.machine.published(last, isEnded: isEnded, now: now)
            }
        }
    }

    private func timerFired(_ timer: Int64) {
        let now = clock.uptime
        var isOver = false
        perform { state in
            state.timers.remove(timer)
            if state.machine.isIdle(now: now) {
                state.isClosed = true
                isOver = true
                return []
            }
            return state.machine.wake(now: now)
        }
        guard isOver else { return }
        onClose(self)
        let observation = state.withLockedValue { state in
            defer { state.observation = nil }
            return state.observation
        }
        _ = observation
    }

    private func perform(_ event: (inout State) -> [WaitListMachine<Waiter>.Release]) {
        let (releases, timer) = state.withLockedValue { state in (event(&state), Self.arm(&state)) }
        schedule(timer)
        if !releases.isEmpty { onRelease(releases) }
    }

    /// Returns the time of a timer to set; nil if an existing one fires early enough.
    private static func arm(_ state: inout State) -> Int64? {
        guard !state.isClosed else { return nil }
        let next = state.machine.nextWake
        guard !state.timers.contains(where: { $0 <= next }) else { return nil }
        state.timers.insert(next)
        return next
    }

    private func schedule(_ timer: Int64?) {
        guard let timer else { return }
        clock.schedule(at: timer) { [weak self] in self?.timerFired(timer) }
    }
}
