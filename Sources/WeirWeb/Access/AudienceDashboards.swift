import NIOConcurrencyHelpers
import WeirAccess
import WeirBoards

/// The dashboards of all audiences that somebody belongs to who is here or was a while ago.
///
/// They are bounded: what is not used goes, and beyond the limit the one that was not used for longest, whose polls come back.
final class AudienceDashboards: Sendable {
    /// Which dashboard.
    struct Key: Hashable, Sendable {
        let audience: Audience
        let isPublic: Bool

        /// That of everybody, where nobody is asked who they are.
        static let open = Key(audience: Audience(.everything), isPublic: true)
        /// That of those who may see nothing.
        static let nobody = Key(audience: Audience(.nothing), isPublic: false)
    }

    private struct State {
        var dashboards: [Key: (dashboard: AudienceDashboard, lastUse: Int64)] = [:]
        var isDraining = false
        /// How often the catalog was replaced.
        var edition = 0
    }

    /// How many there may be.
    static let limit = 128
    /// After how many milliseconds one goes that is not used.
    static let idle: Int64 = 600_000

    private let clock: any WaitClock
    private let make: @Sendable (Key) async throws(BoardError) -> AudienceDashboard
    private let state = NIOLockedValueBox(State())

    init(clock: any WaitClock, make: @escaping @Sendable (Key) async throws(BoardError) -> AudienceDashboard) {
        self.clock = clock
        self.make = make
    }

    /// All of them.
    var all: [AudienceDashboard] { state.withLockedValue { $0.dashboards.values.map(\.dashboard) } }

    /// How many there are.
    var count: Int { state.withLockedValue { $0.dashboards.count } }

    /// The dashboard of an audience that has one.
    func known(_ key: Key) -> AudienceDashboard? {
        let now = clock.uptime
        return state.withLockedValue { state in
            guard let entry = state.dashboards[key] else { return nil }
            if entry.lastUse != .max { state.dashboards[key]?.lastUse = now }
            return entry.dashboard
        }
    }

    /// The dashboard of an audience, made if there is none.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    func dashboard(for key: Key) async throws(BoardError) -> AudienceDashboard {
        if let dashboard = known(key) { return dashboard }
        let edition = state.withLockedValue { $0.edition }
        let made = try await make(key)
        let (dashboard, crowdedOut, isDraining) = state.withLockedValue {
            state -> (AudienceDashboard, AudienceDashboard?, Bool) in
            // Made of a catalog that was replaced meanwhile: good for this request, and for no other.
            guard edition == state.edition else { return (made, nil, false) }
            if let other = state.dashboards[key]?.dashboard { return (other, nil, false) }
            var crowdedOut: AudienceDashboard?
            // Those that are always there are not among them.
            let uses = state.dashboards.map { (key: $0.key, lastUse: $0.value.lastUse) }
                .filter { $0.lastUse != .max }.sorted { $0.lastUse < $1.lastUse }
            if uses.count >= Self.limit {
                // Nobody can keep others out by holding a poll for each of many links or tokens.
                let oldest =
                    uses.first { state.dashboards[$0.key]?.dashboard.pollResponder.held == 0 } ?? uses.first
                crowdedOut = oldest.flatMap { state.dashboards.removeValue(forKey: $0.key)?.dashboard }
            }
            state.dashboards[key] = (made, clock.uptime)
            return (made, crowdedOut, state.isDraining)
        }
        crowdedOut?.pollResponder.drain()
        if isDraining { dashboard.pollResponder.drain() }
        return dashboard
    }

    /// Puts a dashboard in that is always there.
    func keep(_ dashboard: AudienceDashboard) {
        let key = Key(audience: dashboard.audience, isPublic: dashboard.isPublic)
        state.withLockedValue { $0.dashboards[key] = (dashboard, .max) }
    }

    /// Makes all of them anew, of another catalog, as they are asked for; these two are always there.
    ///
    /// Whoever waits is let go, and comes back to the new one.
    func replace(with everything: AudienceDashboard, _ nothing: AudienceDashboard) {
        let old = state.withLockedValue { state in
            let old = state.dashboards.values.map(\.dashboard)
            state.dashboards = [:]
            state.edition += 1
            return old
        }
        keep(everything)
        keep(nothing)
        for dashboard in old { dashboard.pollResponder.retire() }
    }

    /// Lets those go that nobody has used for a while.
    func letIdleGo() {
        let now = clock.uptime
        state.withLockedValue { state in
            state.dashboards = state.dashboards.filter { _, entry in
                entry.lastUse >= now - Self.idle || entry.dashboard.pollResponder.held > 0
            }
        }
    }

    /// The server shuts down.
    func drain() {
        state.withLockedValue { $0.isDraining = true }
        for dashboard in all { dashboard.pollResponder.drain() }
    }
}
