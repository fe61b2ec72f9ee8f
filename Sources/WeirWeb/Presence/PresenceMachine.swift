/// Decides who has which store's page open, and who has not been shown yet that others came or left.
///
/// Pure: no clock and no lock. All times are milliseconds of one monotonic clock. Somebody is there while one of their
/// polls is held, and for `grace` after the last one ended, so that nobody flickers who asks again or loads the page anew.
struct PresenceMachine: Sendable {
    /// For how long somebody stays without a held poll.
    static var grace: Int64 { 8_000 }

    private struct Presence {
        var name: String
        /// The place in the order of arrival.
        let order: Int
        var polls: Int
        /// When the last poll ended, if none is held.
        var leftAt: Int64
        /// Whether others have come or left since this person was shown who is there.
        var isBehind: Bool
    }

    /// By store, then by the visitor's identity.
    private var stores: [String: [String: Presence]] = [:]
    private var arrivals = 0

    /// A poll of the visitor is held.
    ///
    /// Returns whether anybody is to be shown something else.
    mutating func arrive(_ visitor: Visitor, now: Int64) -> Bool {
        if let known = stores[visitor.store]?[visitor.identity] {
            stores[visitor.store]?[visitor.identity]?.polls += 1
            guard known.name != visitor.name else { return false }
            stores[visitor.store]?[visitor.identity]?.name = visitor.name
            return markBehind(visitor.store)
        }
        arrivals += 1
        stores[visitor.store, default: [:]][visitor.identity] = Presence(
            name: visitor.name, order: arrivals, polls: 1, leftAt: now, isBehind: false)
        // The newcomer too: others may have come since the page was made.
        return markBehind(visitor.store)
    }

    /// A poll of the visitor has ended.
    mutating func leave(_ visitor: Visitor, now: Int64) {
        guard var presence = stores[visitor.store]?[visitor.identity] else { return }
        presence.polls -= 1
        presence.leftAt = now
        stores[visitor.store]?[visitor.identity] = presence
    }

    /// Removes those who have not come back; returns the stores whose other visitors are to be shown that.
    mutating func expire(now: Int64) -> Set<String> {
        var changed: Set<String> = []
        for (store, visitors) in stores {
            let rest = visitors.filter { $0.value.polls > 0 || $0.value.leftAt + Self.grace > now }
            guard rest.count < visitors.count else { continue }
            stores[store] = rest.isEmpty ? nil : rest
            for identity in rest.keys { stores[store]?[identity]?.isBehind = true }
            if !rest.isEmpty { changed.insert(store) }
        }
        return changed
    }

    /// When somebody goes next, should they not come back; nil while polls of everybody are held.
    var nextExpiry: Int64? {
        stores.values.lazy.flatMap(\.values).filter { $0.polls <= 0 }.map { $0.leftAt + Self.grace }.min()
    }

    /// The names of all others on the visitor's page, in the order of their arrival.
    func others(than visitor: Visitor) -> [String] {
        (stores[visitor.store] ?? [:]).filter { $0.key != visitor.identity }.values.sorted { $0.order < $1.order }
            .map(\.name)
    }

    /// The visitor has been shown who is there.
    mutating func show(_ visitor: Visitor) { stores[visitor.store]?[visitor.identity]?.isBehind = false }

    /// Whether others have come or left since the visitor was shown who is there.
    func isBehind(_ visitor: Visitor) -> Bool { stores[visitor.store]?[visitor.identity]?.isBehind ?? false }

    private mutating func markBehind(_ store: String) -> Bool {
        guard let visitors = stores[store], visitors.count > 1 else { return false }
        for identity in visitors.keys { stores[store]?[identity]?.isBehind = true }
        return true
    }
}
