import NIOConcurrencyHelpers
import WeirAccess
import WeirJournals
import WeirPages

/// Tracks who has which store's page open, based on held polls, and announces changes.
///
/// Keeps this in memory for this server only; nothing is recorded.
final class Presence: Sendable {
    private struct State {
        var machine = PresenceMachine()
        /// Stores whose visitors have not been notified yet.
        var changed: Set<String> = []
        var last = Int64.min / 2
        var expiry: Int64?
        var announce: (@Sendable (String) -> Void)?
    }

    /// The minimum time between two announcements, in milliseconds.
    static let quiet: Int64 = 1_000
    /// The delay between an arrival and its announcement, in milliseconds; the new visitor's poll is held by then and gets it
    /// too.
    static let delay: Int64 = 100

    private let clock: any WaitClock
    private let state = NIOLockedValueBox(State())

    init(clock: any WaitClock) { self.clock = clock }

    /// Sets a callback that runs on a thread of the clock with each store whose visitors changed.
    func onChange(_ announce: @escaping @Sendable (String) -> Void) {
        state.withLockedValue { $0.announce = announce }
    }

    /// Registers a held poll until the returned visit is released.
    func arrive(_ visitor: Visitor) -> Visit {
        let now = clock.uptime
        if state.withLockedValue({ $0.machine.arrive(visitor, now: now) }) { changed([visitor.store]) }
        return Visit(visitor, in: self)
    }

    func others(than visitor: Visitor) -> [String] { state.withLockedValue { $0.machine.others(than: visitor) } }

    /// Like ``others(than:)``, and marks the visitor as up to date.
    func show(_ visitor: Visitor) -> [String] {
        state.withLockedValue { state in
            state.machine.show(visitor)
            return state.machine.others(than: visitor)
        }
    }

    func isBehind(_ visitor: Visitor) -> Bool { state.withLockedValue { $0.machine.isBehind(visitor) } }

    fileprivate func leave(_ visitor: Visitor) {
        let now = clock.uptime
        state.withLockedValue { $0.machine.leave(visitor, now: now) }
        awaitExpiry()
    }

    private func awaitExpiry() {
        let due = state.withLockedValue { state -> Int64? in
            guard state.expiry == nil, let next = state.machine.nextExpiry else { return nil }
            state.expiry = next
            return next
        }
        guard let due else { return }
        clock.schedule(at: due) { [weak self] in
            guard let self else { return }
            let now = clock.uptime
            let stores = state.withLockedValue { state in
                state.expiry = nil
                return state.machine.expire(now: now)
            }
            changed(stores)
            awaitExpiry()
        }
    }

    private func changed(_ stores: Set<String>) {
        let now = clock.uptime
        let due = state.withLockedValue { state -> Int64? in
            guard !stores.isEmpty else { return nil }
            defer { state.changed.formUnion(stores) }
            return state.changed.isEmpty ? max(now + Self.delay, state.last + Self.quiet) : nil
        }
        guard let due else { return }
        clock.schedule(at: due) { [weak self] in
            guard let self else { return }
            let (stores, announce) = state.withLockedValue { state in
                defer { state.changed = [] }
                state.last = self.clock.uptime
                return (state.changed, state.announce)
            }
            for store in stores { announce?(store) }
        }
    }
}

/// A user who has a store's page open.
struct Visitor: Hashable, Sendable {
    let store: String
    /// Identifies the user across tabs and browsers.
    let identity: String
    let name: String
}

/// A visitor's held poll; it ends on deinitialization.
final class Visit: Sendable {
    let visitor: Visitor
    private let presence: Presence

    fileprivate init(_ visitor: Visitor, in presence: Presence) {
        self.visitor = visitor
        self.presence = presence
    }

    var isBehind: Bool { presence.isBehind(visitor) }

    deinit { presence.leave(visitor) }
}

/// The state machine behind ``Presence``: who has which store's page open, and whose page is out of date.
///
/// Uses no clock and no lock. Times are milliseconds of one monotonic clock. A visitor is present while one of their polls is
/// held and for `grace` after the last one ended, so that reloading a page does not remove them.
struct PresenceMachine: Sendable {
    /// How long a visitor stays without a held poll, in milliseconds.
    static var grace: Int64 { 8_000 }

    private struct Presence {
        var name: String
        let order: Int
        var polls: Int
        /// When the last poll ended, if none is held.
        var leftAt: Int64
        var isBehind: Bool
    }

    /// By store, then by identity.
    private var stores: [String: [String: Presence]] = [:]
    private var arrivals = 0

    /// Adds a held poll of the visitor.
    ///
    /// Returns whether any visitor's page is out of date.
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
        // Includes the new visitor, whose page may have been rendered before others arrived.
        return markBehind(visitor.store)
    }

    mutating func leave(_ visitor: Visitor, now: Int64) {
        guard var presence = stores[visitor.store]?[visitor.identity] else { return }
        presence.polls -= 1
        presence.leftAt = now
        stores[visitor.store]?[visitor.identity] = presence
    }

    /// Removes visitors whose grace period has passed; returns the stores with remaining visitors to notify.
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

    /// When the next visitor expires; nil while every visitor has a held poll.
    var nextExpiry: Int64? {
        stores.values.lazy.flatMap(\.values).filter { $0.polls <= 0 }.map { $0.leftAt + Self.grace }.min()
    }

    /// Returns the names of the other visitors of the page, in order of arrival.
    func others(than visitor: Visitor) -> [String] {
        (stores[visitor.store] ?? [:]).filter { $0.key != visitor.identity }.values.sorted { $0.order < $1.order }
            .map(\.name)
    }

    mutating func show(_ visitor: Visitor) { stores[visitor.store]?[visitor.identity]?.isBehind = false }

    /// Whether the visitors changed since the visitor's page was last updated.
    func isBehind(_ visitor: Visitor) -> Bool { stores[visitor.store]?[visitor.identity]?.isBehind ?? false }

    private mutating func markBehind(_ store: String) -> Bool {
        guard let visitors = stores[store], visitors.count > 1 else { return false }
        for identity in visitors.keys { stores[store]?[identity]?.isBehind = true }
        return true
    }
}

extension PollEncoder {
    /// Returns the visitor to list the other visitors for; nil if the page does not show them.
    ///
    /// Requires a store's page and a named user. Public pages list no visitors, because their answers are shared and cached.
    func visitor(of page: LivePage, _ admission: Admission) -> Visitor? {
        guard presence != nil, urls.audience != nil, case .store(let store) = page.topic,
            case let principal = admission.authorization.principal, principal.kind == .person
        else { return nil }
        return Visitor(store: store, identity: principal.key, name: principal.name)
    }

    func viewers(on page: LivePage, _ admission: Admission?) -> String? {
        guard let presence, let visitor = admission.flatMap({ self.visitor(of: page, $0) }) else { return nil }
        return renderer.viewers(presence.others(than: visitor), locale: page.locale)
    }

    /// Returns the content of the `viewers` element and records it as shown to the visitor.
    func viewers(showing visitor: Visitor?, _ page: LivePage) -> String? {
        guard let presence, let visitor else { return nil }
        return renderer.viewers(presence.show(visitor), locale: page.locale)
    }
}

extension PollResponder {
    /// Ends the polls of a store's visitors whose pages do not show the current visitors.
    func showVisitors(of store: String) {
        waitLists.interrupt(.store(store)) { waiter in
            if case .poll(let poll) = waiter { poll.visit?.isBehind ?? false } else { false }
        }
    }
}
