import NIOConcurrencyHelpers
import WeirJournals

/// The wait list of one topic: its machine under a lock, and its one timer.
final class WaitList<Waiter: Sendable>: Sendable {
    /// What became of a new waiter.
    enum Entry {
        case pass(head: SequenceNumber)
        case held(WaitListMachine<Waiter>.ID)
        case draining
        /// Nothing ever follows.
        case ended
        /// The list was closed at the same moment: ask for a new one.
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

    /// Begins to follow the topic.
    ///
    /// Called once, by the creator of the list; others may wait here before.
    func open() {
        let observation = source.watchHead(of: topic) { [weak self] head in self?.headMoved(head) }
        state.withLockedValue { $0.observation = observation }
        // A change between the creation of the list and the observation notified nobody.
        headMoved(source.head(of: topic))
    }

    func enter(_ waiter: Waiter, after: SequenceNumber, until deadline: Int64, mustWait: Bool = false) -> Entry {
        let now = clock.uptime
        let (entry, timer) = state.withLockedValue { state -> (Entry, Int64?) in
            guard !state.isClosed else { return (.closed, nil) }
            // The head is read under the lock: a change published later finds the waiter, one before is seen here.
            // The end is looked at first: what comes right before it is then seen too.
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

    /// How many wait here.
    var count: Int { state.withLockedValue { $0.machine.count } }

    /// Rendering and writing are no business of the one who publishes: it only leaves a note.
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

    /// The time of a timer that must be set now: when none of those set fires early enough.
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
