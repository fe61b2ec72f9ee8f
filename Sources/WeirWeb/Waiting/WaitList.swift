import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import WeirBoards
import WeirJournals

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

    func release(as outcome: (Waiter) -> WaitOutcome?) {
        let now = clock.uptime
        perform { $0.machine.release(now: now, as: outcome) }
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

/// Tracks the waiters for the next change of a topic, and decides when to release each.
///
/// Uses no clock, lock or socket. Times are milliseconds of one monotonic clock.
///
/// A wait for a change after `n` ends when
/// - the head passes `n`: at once if `quiet` milliseconds have passed since the last release, else when they have, so that a
///   burst becomes few answers and a single change is not delayed;
/// - the topic ends and all of it was read;
/// - the deadline passes;
/// - it is interrupted to send something other than a change;
/// - the list is drained because the server shuts down.
///
/// A waiter is removed before it is released, so it cannot be released twice.
struct WaitListMachine<Waiter: Sendable>: Sendable {
    struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
        fileprivate let group: Group
    }

    enum Entry: Equatable {
        /// The head has already passed; the waiter was not added.
        case pass(head: SequenceNumber)
        case held(ID)
        case draining
        case ended
    }

    struct Release: Sendable {
        let waiter: Waiter
        let after: SequenceNumber
        let outcome: WaitOutcome
    }

    /// Waiters with the same sequence and deadline, which are released together.
    fileprivate struct Group: Hashable {
        let after: SequenceNumber
        let deadline: Int64
    }

    /// The minimum time between two releases because of changes.
    let quiet: Int64
    /// How long an empty list is kept, since clients return after each answer.
    static var linger: Int64 { 2_000 }

    private(set) var head: SequenceNumber
    private var released: SequenceNumber
    private var releasedAt = Int64.min / 2
    private var groups: [Group: [UInt64: Waiter]] = [:]
    /// The current groups of waiters that ``drain(spread:seed:now:)`` moved.
    private var moved: [UInt64: Group] = [:]
    private var lastNumber: UInt64 = 0
    private(set) var count = 0
    private var lastUse: Int64
    private var isDraining = false
    private var isEnded = false

    init(head: SequenceNumber, now: Int64, quiet: Int64 = 50) {
        self.quiet = quiet
        self.head = head
        released = head
        lastUse = now
    }

    var sleeping: [SequenceNumber] { groups.flatMap { group, waiters in waiters.map { _ in group.after } } }

    /// Adds a waiter.
    ///
    /// `known` is the feed's current head, and `isEnded` whether the topic has ended. If `mustWait` is true and the head has
    /// passed, the waiter is added and released at the next `wake`, which then makes the answer.
    mutating func enter(
        _ waiter: Waiter, after: SequenceNumber, until deadline: Int64, known: SequenceNumber, isEnded: Bool = false,
        mustWait: Bool = false, now: Int64
    ) -> Entry {
        lastUse = now
        head = max(head, known)
        self.isEnded = self.isEnded || isEnded
        if isDraining { return .draining }
        if after < head {
            let isOpen = now >= releasedAt + quiet
            guard after >= released, !isOpen else {
                // A pending release of other waiters sets the time instead.
                if isOpen, !groups.keys.contains(where: { $0.after < head }) { markReleased(now) }
                guard mustWait else { return .pass(head: head) }
                return hold(waiter, Group(after: after, deadline: now))
            }
        } else if self.isEnded {
            return .ended
        }
        return hold(waiter, Group(after: after, deadline: deadline))
    }

    private mutating func hold(_ waiter: Waiter, _ group: Group) -> Entry {
        lastNumber += 1
        count += 1
        groups[group, default: [:]][lastNumber] = waiter
        return .held(ID(number: lastNumber, group: group))
    }

    /// Removes a waiter.
    ///
    /// Returns nil if it was already released.
    mutating func leave(_ id: ID, now: Int64) -> Waiter? {
        let group = moved.removeValue(forKey: id.number) ?? id.group
        guard let waiter = groups[group]?.removeValue(forKey: id.number) else { return nil }
        lastUse = now
        count -= 1
        if groups[group]?.isEmpty == true { groups[group] = nil }
        return waiter
    }

    /// Updates the head, or ends the topic; returns the waiters to release.
    mutating func published(_ head: SequenceNumber, isEnded: Bool = false, now: Int64) -> [Release] {
        self.head = max(self.head, head)
        self.isEnded = self.isEnded || isEnded
        return wake(now: now)
    }

    /// Removes and returns the waiters that are due.
    mutating func wake(now: Int64) -> [Release] {
        let isOpen = now >= releasedAt + quiet
        var releases: [Release] = []
        var isChange = false
        for (group, waiters) in groups {
            let outcome: WaitOutcome
            if group.after < head, isOpen {
                outcome = .published
                isChange = true
            } else if group.after >= head, isEnded {
                outcome = .ended
            } else if group.deadline <= now {
                outcome = isDraining ? .drained : group.after < head ? .published : .expired
            } else {
                continue
            }
            groups[group] = nil
            count -= waiters.count
            releases.reserveCapacity(releases.count + waiters.count)
            for waiter in waiters.values {
                releases.append(Release(waiter: waiter, after: group.after, outcome: outcome))
            }
        }
        if isChange { markReleased(now) }
        if !releases.isEmpty { lastUse = now }
        return releases
    }

    /// Removes and returns the waiters for which `outcome` is not nil.
    mutating func release(now: Int64, as outcome: (Waiter) -> WaitOutcome?) -> [Release] {
        var releases: [Release] = []
        for (group, waiters) in groups {
            for (number, waiter) in waiters {
                guard let outcome = outcome(waiter) else { continue }
                groups[group]?[number] = nil
                count -= 1
                releases.append(Release(waiter: waiter, after: group.after, outcome: outcome))
            }
            if groups[group]?.isEmpty == true { groups[group] = nil }
        }
        if !releases.isEmpty { lastUse = now }
        return releases
    }

    /// Moves all deadlines to within `spread` milliseconds; new waiters are refused.
    mutating func drain(spread: Int64, seed: UInt64, now: Int64) {
        isDraining = true
        let before = groups
        groups = [:]
        for (group, waiters) in before {
            for (number, waiter) in waiters {
                let offset = Int64((number &+ seed) &* 7 % 16) * spread / 16
                let sooner = Group(after: group.after, deadline: min(group.deadline, now + offset))
                groups[sooner, default: [:]][number] = waiter
                moved[number] = sooner
            }
        }
    }

    /// When to call ``wake(now:)`` next: for a release, or the end of an empty list.
    var nextWake: Int64 {
        if groups.isEmpty { return lastUse + Self.linger }
        return groups.keys.lazy.map { group in
            group.after < head ? min(group.deadline, releasedAt + quiet) : group.deadline
        }.min() ?? .max
    }

    func isIdle(now: Int64) -> Bool { groups.isEmpty && now >= lastUse + Self.linger }

    private mutating func markReleased(_ now: Int64) {
        released = head
        releasedAt = now
    }
}

enum WaitOutcome: Hashable, Sendable {
    case published
    case ended
    case expired
    /// There is something to send other than a change.
    case interrupted
    /// The rights of the waiter have changed.
    case rights(RightsChange)
    case drained
}

extension Topic {
    /// The minimum time between two answers with changes, in milliseconds.
    ///
    /// Each change must become visible separately; output lines arrive in bulk and are painted in whole pages.
    var quiet: Int64 {
        switch self {
        case .output: 200
        case .board, .operation, .run, .store: 50
        }
    }
}

/// The system's time, with timers on dedicated threads.
///
/// Callbacks render and encode answers, which would block the event loops of connections.
final class EventLoopClock: WaitClock {
    private let group: MultiThreadedEventLoopGroup
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        group = MultiThreadedEventLoopGroup(numberOfThreads: min(8, max(2, System.coreCount)))
    }

    deinit { group.shutdownGracefully { _ in } }

    var uptime: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

    var wall: Int64 { now().milliseconds }

    func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void) {
        let delay = uptime - self.uptime
        let loop = group.any()
        if delay > 0 {
            loop.scheduleTask(in: .milliseconds(delay), body)
        } else {
            loop.execute(body)
        }
    }
}
