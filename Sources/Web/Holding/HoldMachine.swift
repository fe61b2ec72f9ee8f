/// Who waits for a topic's next change, and when each is let go: the rules, with no clock, lock or socket.
///
/// All times are milliseconds of one monotonic clock. Waiting for a change after `n` ends when
/// - the head passes `n`: at once if 50 ms have passed since the last release (`quiet`), else at +50 ms, so that a burst of changes
///   becomes few answers and a lone change is not delayed;
/// - the deadline comes;
/// - it is interrupted, because there is something to say that is no change;
/// - the place is drained because the server shuts down.
///
/// Whoever is let go is forgotten first and told afterwards, so nobody can be told twice.
struct HoldMachine<Ticket: Sendable>: Sendable {
    /// Names one who waits.
    typealias ID = UInt64

    /// What became of somebody who came to wait.
    enum Entry: Equatable {
        /// The head has passed already: no waiting.
        case pass(head: Int64)
        /// Waits, and is let go by a later event.
        case held(ID)
        /// No more waiting here: the server shuts down.
        case draining
    }

    /// One who is let go.
    struct Release: Sendable {
        let ticket: Ticket
        /// What the waiting was after.
        let after: Int64
        let outcome: HoldOutcome
    }

    private struct Group: Hashable {
        let after: Int64
        let deadline: Int64
    }

    /// The least time between two releases for changes.
    let quiet: Int64
    /// How long an empty place is kept, for those who come back after each answer.
    static var linger: Int64 { 2_000 }

    /// The sequence of the topic's last change, as far as it was told here.
    private(set) var head: Int64
    /// The head at the last release, and when that was.
    private var released: Int64
    private var releasedAt = Int64.min / 2
    private var groups: [Group: [ID: Ticket]] = [:]
    private var places: [ID: Group] = [:]
    private var lastID: ID = 0
    private var lastUse: Int64
    private var isDraining = false

    init(head: Int64, now: Int64, quiet: Int64 = 50) {
        self.quiet = quiet
        self.head = head
        released = head
        lastUse = now
    }

    /// What each of those who wait is after.
    var sleeping: [Int64] { groups.flatMap { group, tickets in tickets.map { _ in group.after } } }

    /// How many wait.
    var count: Int { places.count }

    /// Somebody comes to wait.
    ///
    /// `known` is the head as the feed tells it at this moment.
    mutating func enter(_ ticket: Ticket, after: Int64, until deadline: Int64, known: Int64, now: Int64) -> Entry {
        lastUse = now
        head = max(head, known)
        if isDraining { return .draining }
        if after < head {
            let isOpen = now >= releasedAt + quiet
            guard after >= released, !isOpen else {
                // While others are due, their release is the one that counts.
                if isOpen, !groups.keys.contains(where: { $0.after < head }) { markReleased(now) }
                return .pass(head: head)
            }
        }
        lastID += 1
        let group = Group(after: after, deadline: deadline)
        groups[group, default: [:]][lastID] = ticket
        places[lastID] = group
        return .held(lastID)
    }

    /// Somebody gives up waiting.
    ///
    /// Returns the ticket, or nil when it was let go before.
    mutating func leave(_ id: ID, now: Int64) -> Ticket? {
        guard let group = places.removeValue(forKey: id) else { return nil }
        lastUse = now
        let ticket = groups[group]?.removeValue(forKey: id)
        if groups[group]?.isEmpty == true { groups[group] = nil }
        return ticket
    }

    /// The topic's head moved.
    mutating func published(_ head: Int64, now: Int64) -> [Release] {
        self.head = max(self.head, head)
        return wake(now: now)
    }

    /// Time has passed: lets go whoever is due.
    mutating func wake(now: Int64) -> [Release] {
        let isOpen = now >= releasedAt + quiet
        var releases: [Release] = []
        var isChange = false
        for (group, tickets) in groups {
            let outcome: HoldOutcome
            if group.after < head, isOpen {
                outcome = .published
                isChange = true
            } else if group.deadline <= now {
                outcome = isDraining ? .drained : group.after < head ? .published : .expired
            } else {
                continue
            }
            groups[group] = nil
            for (id, ticket) in tickets {
                places[id] = nil
                releases.append(Release(ticket: ticket, after: group.after, outcome: outcome))
            }
        }
        if isChange { markReleased(now) }
        if !releases.isEmpty { lastUse = now }
        return releases
    }

    /// Lets those go who fit, though there is no change.
    mutating func interrupt(now: Int64, where fits: (Ticket) -> Bool) -> [Release] {
        var releases: [Release] = []
        for (group, tickets) in groups {
            for (id, ticket) in tickets where fits(ticket) {
                groups[group]?[id] = nil
                places[id] = nil
                releases.append(Release(ticket: ticket, after: group.after, outcome: .interrupted))
            }
            if groups[group]?.isEmpty == true { groups[group] = nil }
        }
        if !releases.isEmpty { lastUse = now }
        return releases
    }

    /// The server shuts down: everybody is let go within `spread` milliseconds, and nobody waits any more.
    mutating func drain(spread: Int64, seed: UInt64, now: Int64) {
        isDraining = true
        let before = groups
        groups = [:]
        for (group, tickets) in before {
            for (id, ticket) in tickets {
                let offset = Int64((id &+ seed) &* 7 % 16) * spread / 16
                let sooner = Group(after: group.after, deadline: min(group.deadline, now + offset))
                groups[sooner, default: [:]][id] = ticket
                places[id] = sooner
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
