import WeirJournals

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

    mutating func interrupt(now: Int64, where fits: (Waiter) -> Bool) -> [Release] {
        var releases: [Release] = []
        for (group, waiters) in groups {
            for (number, waiter) in waiters where fits(waiter) {
                groups[group]?[number] = nil
                count -= 1
                releases.append(Release(waiter: waiter, after: group.after, outcome: .interrupted))
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
