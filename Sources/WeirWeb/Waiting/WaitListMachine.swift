import WeirJournals

/// Decides who waits for a topic's next change, and when each waiter is released.
///
/// Pure: no clock, lock or socket.
///
/// All times are milliseconds of one monotonic clock. Waiting for a change after `n` ends when
/// - the head passes `n`: at once if 50 ms have passed since the last release (`quiet`), else at +50 ms, so that a burst of changes
///   becomes few answers and a lone change is not delayed;
/// - the topic ends, and all of it was read: at once;
/// - the deadline comes;
/// - it is interrupted, because there is something to say that is no change;
/// - the list is drained because the server shuts down.
///
/// A waiter is removed before it is released, so that it cannot be released twice.
struct WaitListMachine<Waiter: Sendable>: Sendable {
    /// Identifies a waiter.
    struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
        fileprivate let group: Group
    }

    /// What happened to a new waiter.
    enum Entry: Equatable {
        /// The head has passed already: no waiting.
        case pass(head: SequenceNumber)
        /// Waits, and is released by a later event.
        case held(ID)
        /// No more waiting here: the server shuts down.
        case draining
        /// No waiting: nothing ever follows.
        case ended
    }

    /// A waiter that is released.
    struct Release: Sendable {
        let waiter: Waiter
        /// What the waiting was after.
        let after: SequenceNumber
        let outcome: WaitOutcome
    }

    /// Those who wait after the same sequence until the same time, and are released together.
    fileprivate struct Group: Hashable {
        let after: SequenceNumber
        let deadline: Int64
    }

    /// The least time between two releases for changes.
    let quiet: Int64
    /// How long an empty list is kept, for clients that return after each answer.
    static var linger: Int64 { 2_000 }

    /// The sequence of the topic's last change, as far as it is known here.
    private(set) var head: SequenceNumber
    /// The head at the last release, and when that was.
    private var released: SequenceNumber
    private var releasedAt = Int64.min / 2
    private var groups: [Group: [UInt64: Waiter]] = [:]
    /// The groups of those who were moved to another one than they came to.
    private var moved: [UInt64: Group] = [:]
    private var lastNumber: UInt64 = 0
    /// How many wait.
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

    /// The sequences after which the waiters wait.
    var sleeping: [SequenceNumber] { groups.flatMap { group, waiters in waiters.map { _ in group.after } } }

    /// Adds a waiter.
    ///
    /// `known` is the feed's current head, and `isEnded` whether nothing follows it. One who must wait is released at once rather than
    /// let pass, so that whoever releases makes the answer.
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
                // While others are due, their release is the one that counts.
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

    /// Somebody gives up waiting.
    ///
    /// Returns the waiter, or nil if it was let go before.
    mutating func leave(_ id: ID, now: Int64) -> Waiter? {
        let group = moved.removeValue(forKey: id.number) ?? id.group
        guard let waiter = groups[group]?.removeValue(forKey: id.number) else { return nil }
        lastUse = now
        count -= 1
        if groups[group]?.isEmpty == true { groups[group] = nil }
        return waiter
    }

    /// The topic's head moved, or nothing follows it any more.
    mutating func published(_ head: SequenceNumber, isEnded: Bool = false, now: Int64) -> [Release] {
        self.head = max(self.head, head)
        self.isEnded = self.isEnded || isEnded
        return wake(now: now)
    }

    /// Time has passed: releases the waiters that are due.
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

    /// Releases the matching waiters, although there is no change.
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

    /// The server shuts down: everybody is released within `spread` milliseconds, and nobody waits any more.
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

    /// When `wake` has something to do next: a release, or the end of an empty place.
    var nextWake: Int64 {
        if groups.isEmpty { return lastUse + Self.linger }
        return groups.keys.lazy.map { group in
            group.after < head ? min(group.deadline, releasedAt + quiet) : group.deadline
        }.min() ?? .max
    }

    /// Whether the place has been empty for so long that it can go.
    func isIdle(now: Int64) -> Bool { groups.isEmpty && now >= lastUse + Self.linger }

    private mutating func markReleased(_ now: Int64) {
        released = head
        releasedAt = now
    }
}

/// Why a waiter was released.
enum WaitOutcome: Hashable, Sendable {
    /// There is a change.
    case published
    /// Nothing ever follows.
    case ended
    /// The time is over.
    case expired
    /// There is something to say that is no change.
    case interrupted
    /// The server shuts down.
    case drained
}

extension Topic {
    /// The least time between two answers that bring something new, in milliseconds.
    ///
    /// Each change is to be seen by itself; of lines, many come at a time, and whole pages of them are painted at once.
    var quiet: Int64 {
        switch self {
        case .output: 200
        case .board, .operation, .run, .store: 50
        }
    }
}
