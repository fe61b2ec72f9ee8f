import NIOConcurrencyHelpers
package import WeirAccess
import WeirBoards
import WeirOperations
import WeirPages

/// Caches the dashboards of all audiences that sent requests recently.
///
/// Idle dashboards are removed. Beyond the limit, the least recently used one is removed and its held polls are released, so
/// that clients poll again.
final class DashboardCache: Sendable {
    struct Key: Hashable, Sendable {
        let audience: Audience
        let isPublic: Bool

        /// The audience with full permissions, used when authentication is off.
        static let open = Key(audience: Audience(.everything), isPublic: true)
        /// The audience without permissions.
        static let nobody = Key(audience: Audience(.nothing), isPublic: false)
    }

    private struct State {
        var dashboards: [Key: (dashboard: AudienceDashboard, lastUse: Int64)] = [:]
        /// The responders of replaced dashboards, each as long as a request uses it.
        var retired: [Retired] = []
        var isDraining = false
        var edition = 0
    }

    private struct Retired {
        weak var responder: PollResponder?
    }

    /// The maximum number of dashboards, not counting permanent ones.
    static let limit = 128
    /// The idle time after which a dashboard is removed, in milliseconds.
    static let idle: Int64 = 600_000

    private let clock: any WaitClock
    private let make: @Sendable (Key) async throws(BoardError) -> AudienceDashboard
    private let state = NIOLockedValueBox(State())

    init(clock: any WaitClock, make: @escaping @Sendable (Key) async throws(BoardError) -> AudienceDashboard) {
        self.clock = clock
        self.make = make
    }

    /// The responders with which requests may wait, including those of replaced dashboards.
    var responders: [PollResponder] {
        state.withLockedValue { state in
            state.dashboards.values.map(\.dashboard.pollResponder) + state.retired.compactMap(\.responder)
        }
    }

    var count: Int { state.withLockedValue { $0.dashboards.count } }

    func known(_ key: Key) -> AudienceDashboard? {
        let now = clock.uptime
        return state.withLockedValue { state in
            guard let entry = state.dashboards[key] else { return nil }
            if entry.lastUse != .max { state.dashboards[key]?.lastUse = now }
            return entry.dashboard
        }
    }

    /// Returns the cached dashboard or creates it; throws `unavailable` when the journal cannot be read.
    func dashboard(for key: Key) async throws(BoardError) -> AudienceDashboard {
        if let dashboard = known(key) { return dashboard }
        let edition = state.withLockedValue { $0.edition }
        let made = try await make(key)
        let (dashboard, crowdedOut, isDraining) = state.withLockedValue {
            state -> (AudienceDashboard, AudienceDashboard?, Bool) in
            // The catalog was replaced in the meantime: this dashboard serves the current request and is not cached.
            guard edition == state.edition else {
                state.retired.append(Retired(responder: made.pollResponder))
                made.pollResponder.retire()
                return (made, nil, state.isDraining)
            }
            if let other = state.dashboards[key]?.dashboard { return (other, nil, false) }
            var crowdedOut: AudienceDashboard?
            let uses = state.dashboards.map { (key: $0.key, lastUse: $0.value.lastUse) }
                .filter { $0.lastUse != .max }.sorted { $0.lastUse < $1.lastUse }
            if uses.count >= Self.limit {
                // Prefer a dashboard without held polls: a client that holds polls with many links or tokens must not crowd
                // others out.
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

    func keep(_ dashboard: AudienceDashboard) {
        let key = Key(audience: dashboard.audience, isPublic: dashboard.isPublic)
        state.withLockedValue { $0.dashboards[key] = (dashboard, .max) }
    }

    /// Discards all dashboards after a change of the catalog.
    ///
    /// Held polls are released and continue on the new dashboards. Requests that wait on the server continue on the old ones
    /// as long as their right holds.
    func replace(with everything: AudienceDashboard, _ nothing: AudienceDashboard) {
        let old = state.withLockedValue { state in
            let old = state.dashboards.values.map(\.dashboard.pollResponder)
            state.dashboards = [:]
            state.retired.removeAll { $0.responder == nil }
            state.retired += old.map { Retired(responder: $0) }
            state.edition += 1
            return old
        }
        keep(everything)
        keep(nothing)
        for responder in old { responder.retire() }
    }

    func letIdleGo() {
        let now = clock.uptime
        state.withLockedValue { state in
            state.dashboards = state.dashboards.filter { _, entry in
                entry.lastUse >= now - Self.idle || entry.dashboard.pollResponder.held > 0
            }
            state.retired.removeAll { $0.responder == nil }
        }
    }

    func drain() {
        state.withLockedValue { $0.isDraining = true }
        for responder in responders { responder.drain() }
    }
}

/// The pages and dashboards of one version of the catalog.
struct CatalogDashboards: Sendable {
    let renderer: PageRenderer
    /// The dashboard with full permissions, used when authentication is off.
    let everything: AudienceDashboard
    /// The dashboard without permissions, for resources that are the same for everyone.
    let nothing: AudienceDashboard
    private let board: Board
    private let make: @Sendable (VisibleBoard, DashboardCache.Key, Catalog) -> AudienceDashboard

    init(_ board: Board, renderer: PageRenderer, services: DashboardServices) {
        self.board = board
        self.renderer = renderer
        // New caches, because rendered pages of another catalog are stale.
        let caches = PollCaches()
        make = { visible, key, pages in
            AudienceDashboard(
                key.audience, isPublic: key.isPublic, board: visible,
                renderer: renderer.restricted(to: pages, permissions: visible.permissions), services: services,
                caches: caches, softCap: services.configuration.maximumHolds)
        }
        everything = make(VisibleBoard(whole: board), .open, board.catalog)
        nothing = make(VisibleBoard(nothingOf: board), .nobody, Catalog())
    }

    /// Throws `unavailable` when the journal cannot be read.
    func dashboard(for key: DashboardCache.Key) async throws(BoardError) -> AudienceDashboard {
        let visible = try await VisibleBoard(board, for: key.audience.permissions)
        return make(visible, key, try await visible.pageCatalog())
    }
}

extension Catalog {
    /// The subjects of access rules: each operation with its approvals, and each store.
    ///
    /// A step that runs only as part of another operation is selected with that operation.
    package var subjects: [Subject] {
        entries.flatMap { entry -> [Subject] in
            let whole = entry.partOf.flatMap { self[$0] } ?? entry
            let chosenAs = Subject.ID.operation(whole.id)
            let approvals = entry.plan?.steps.filter { $0.approval != nil } ?? []
            return [Subject(.operation(entry.id), tags: whole.tags, chosenAs: chosenAs)]
                + approvals.map { step in
                    let who = step.approval?.who ?? []
                    return Subject(
                        .approval(operation: entry.id, step: step.name), tags: whole.tags, chosenAs: chosenAs,
                        deciders: who.isEmpty ? nil : who.compactMap { Decider($0) })
                }
        } + stores.map { Subject(.store($0.id), tags: $0.tags) }
    }
}
