import NIOConcurrencyHelpers

/// Knows who has which store's page open at this moment, from the polls that are held, and says when that has changed.
///
/// It is in memory only, of this server only, and costs no query. What it knows is no history: nothing of it is recorded.
final class Presence: Sendable {
    private struct State {
        var machine = PresenceMachine()
        /// The stores whose visitors are to be shown something else.
        var changed: Set<String> = []
        var last = Int64.min / 2
        /// When the timer for those who do not come back fires; nil when none is set.
        var expiry: Int64?
        var announce: (@Sendable (String) -> Void)?
    }

    /// The least time between two announcements, in milliseconds.
    static let quiet: Int64 = 1_000
    /// From an arrival to its announcement, in milliseconds: the newcomer waits by then, and is told with the others.
    static let delay: Int64 = 100

    private let clock: any WaitClock
    private let state = NIOLockedValueBox(State())

    init(clock: any WaitClock) { self.clock = clock }

    /// Calls back, on a thread of the clock, with each store whose visitors are to be shown something else.
    func onChange(_ announce: @escaping @Sendable (String) -> Void) {
        state.withLockedValue { $0.announce = announce }
    }

    /// A poll of the visitor is held until the visit ends.
    func arrive(_ visitor: Visitor) -> Visit {
        let now = clock.uptime
        if state.withLockedValue({ $0.machine.arrive(visitor, now: now) }) { changed([visitor.store]) }
        return Visit(visitor, in: self)
    }

    /// The names of all others on the visitor's page, in the order of their arrival.
    func others(than visitor: Visitor) -> [String] { state.withLockedValue { $0.machine.others(than: visitor) } }

    /// The same, shown to the visitor by the answer to a poll.
    func show(_ visitor: Visitor) -> [String] {
        state.withLockedValue { state in
            state.machine.show(visitor)
            return state.machine.others(than: visitor)
        }
    }

    /// Whether others have come or left since the visitor was shown who is there.
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

/// Somebody who has a store's page open.
struct Visitor: Hashable, Sendable {
    let store: String
    /// What makes it the same person in every tab and browser.
    let identity: String
    let name: String
}

/// A held poll of a visitor; it ends when nothing holds it any more.
final class Visit: Sendable {
    let visitor: Visitor
    private let presence: Presence

    fileprivate init(_ visitor: Visitor, in presence: Presence) {
        self.visitor = visitor
        self.presence = presence
    }

    /// Whether the visitor is to be shown something else than what their page shows.
    var isBehind: Bool { presence.isBehind(visitor) }

    deinit { presence.leave(visitor) }
}
