import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import Synchronization
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages

/// A dashboard restricted to one audience; routes have no access to the unrestricted board and cannot reveal hidden data.
@dynamicMemberLookup
final class AudienceDashboard: Sendable {
    let audience: Audience
    /// Whether anonymous visitors see the same, so that shared caches may store answers.
    let isPublic: Bool
    let board: VisibleBoard
    let renderer: PageRenderer
    let pollResponder: PollResponder
    let streamResponder: StreamResponder
    let pages: PageCache
    let healths = GenerationCache<HealthPage.Key, OperationHealth>(limit: 64)
    private let services: DashboardServices

    init(
        _ audience: Audience, isPublic: Bool, board: VisibleBoard, renderer: PageRenderer, services: DashboardServices,
        caches: PollCaches, softCap: Int
    ) {
        self.audience = audience
        self.isPublic = isPublic
        self.board = board
        self.renderer = renderer
        self.services = services
        pages = caches.pages
        pollResponder = PollResponder(
            board: board, renderer: renderer, mount: services.mount, clock: services.clock, softCap: softCap,
            audience: isPublic ? nil : audience.label, caches: caches, holds: services.holds,
            presence: services.presence)
        streamResponder = StreamResponder(board: board, polls: pollResponder, clock: services.clock)
    }

    var permissions: Permissions { audience.permissions }

    subscript<Value>(dynamicMember keyPath: KeyPath<DashboardServices, Value>) -> Value { services[keyPath: keyPath] }
}

/// The configuration, limits and services that all audiences of a dashboard share; independent of the board.
struct DashboardServices: Sendable {
    let configuration: WebConfiguration
    let mount: MountPath
    let exports: ConcurrencyLimit
    let imports = ConcurrencyLimit(RunImports.maximumReceived, each: RunImports.maximumReceivedOfOne)
    let probes = ConcurrencyLimit(ConnectionProbe.maximum)
    let assets: AssetLibrary
    let check: RequestCheck
    let stateWrites: RateLimit
    let hookStarts: RateLimit
    let bodies: BodyBudget
    /// The memory budget of large answers while clients read them.
    let answers: BodyBudget
    let resumable: ResumableUploads
    let bodiesBeingRead = BodiesBeingRead()
    let clock: any WaitClock
    let makeID: @Sendable () -> String
    let startedAt: Timestamp
    let logger: Logger
    let requests: RequestMonitor
    /// The visitors of stores' pages, or nil if presence is off.
    let presence: Presence?
    let holds = HoldCount()
    let checks: TemplateChecks
    /// Whether the server is about to shut down, while it still answers.
    let stopNotice = StopNotice()
}

/// Whether the server is about to shut down.
final class StopNotice: Sendable {
    private let isGiven = Atomic(false)

    func give() { isGiven.store(true, ordering: .relaxed) }

    var isSet: Bool { isGiven.load(ordering: .relaxed) }
}

extension AudienceDashboard {
    /// Checks that this audience has the required right, and returns the operation of the run in the route, if it was looked
    /// up.
    ///
    /// Throws 404 for an invisible subject; otherwise 403, or 401 if the sender is anonymous. An audience with all rights skips
    /// the lookup; the route then reports missing subjects itself.
    func admit(_ requirement: Requirement, isAnonymous: Bool) async throws(Problem) -> String? {
        if requirement == .nothing { return nil }
        let refusal = isAnonymous ? Problem.unauthenticated : .forbidden
        if case .reporting(let id) = requirement {
            // Never 403: a reporter's client takes that for a newer instance of its producer, and claims its place again
            // indefinitely.
            guard permissions.allows(.report, on: .operation(id)) else {
                throw isAnonymous ? .unauthenticated : .unknownOperation(id)
            }
            return nil
        }
        guard permissions.allowsAnywhere(.see) else { throw refusal }
        switch requirement {
        case .nothing, .feed, .reporting: break
        case .anything(let verb):
            guard !permissions.isLink else { throw .noSuchPage }
            guard permissions.allowsAnywhere(verb) else { throw refusal }
        case .everything(let verb):
            guard !permissions.isLink else { throw .noSuchPage }
            guard permissions.allowsEverywhere(verb) else { throw refusal }
        case .operation(let verb, let id):
            if maySee(everythingAnd: verb) { break }
            guard board.catalog[id] != nil else { throw .unknownOperation(id) }
            guard permissions.allows(verb, on: .operation(id)) else { throw refusal }
        case .store(let verb, let id):
            if maySee(everythingAnd: verb) { break }
            guard board.catalog.store(id) != nil else { throw .unknownStore(id) }
            guard permissions.allows(verb, on: .store(id)) else { throw refusal }
        case .run(let verb, let id):
            if maySee(everythingAnd: verb) { break }
            do { return try await board.require(verb, onRun: id) } catch {
                throw error.code == .notAllowed ? refusal : Problem(error)
            }
        }
        return nil
    }

    private func maySee(everythingAnd verb: Verb) -> Bool {
        permissions.allowsEverywhere(.see) && permissions.allowsEverywhere(verb)
    }

    func answer(_ exchange: Exchange) async throws(Problem) -> Response {
        if [.get, .head].contains(exchange.request.method), !exchange.route.isForPrograms,
            let tag = exchange.target.query["lang"]
        {
            return try Languages(dashboard: self).choose(tag, exchange)
        }
        return switch exchange.route {
        case .page(let name): try await LivePages(dashboard: self).show(name, exchange)
        case .pageAfter(let name, let cursor):
            try await LivePages(dashboard: self).showNext(name, after: cursor, exchange)
        case .operationRuns(let id):
            try await RunStarts(dashboard: self).create(of: id, exchange)
        case .operationUploads(let id):
            try await TusRoutes(dashboard: self, operation: id).answerAll(exchange)
        case .operationUpload(let id, let upload):
            try await TusRoutes(dashboard: self, operation: id).answer(upload, exchange)
        case .runCancellation(let run):
            try await RunCancellations(dashboard: self).create(of: run, exchange)
        case .pins: try await Pins(dashboard: self).keep(exchange)
        case .presetForm(let id): try await Presets(self, of: id).ask(exchange)
        case .presets(let id): try await Presets(self, of: id).change(exchange)
        case .runViews: try await RunViews(dashboard: self).keep(exchange)
        case .runChange: try await RunChanges(dashboard: self).show(exchange)
        case .manyRunCancellations: try await RunChanges(dashboard: self).create(.cancel, exchange)
        case .manyRunRetries: try await RunChanges(dashboard: self).create(.retry, exchange)
        case .manyRunDeletions: try await RunChanges(dashboard: self).create(.delete, exchange)
        case .runRetries(let run):
            try await RunRetries(dashboard: self).create(of: run, exchange)
        case .runContinuation(let run):
            try await RunRetries(dashboard: self).continue(run, exchange)
        case .runDecision(let run):
            try await RunDecisions(dashboard: self).create(of: run, exchange)
        case .storeActions(let id):
            try await StoreCommands(dashboard: self).act(on: id, exchange)
        case .storeState(let id):
            try await StoreCommands(dashboard: self).put(into: id, exchange)
        case .storeReset(let id):
            try await StoreCommands(dashboard: self).reset(id, exchange)
        case .storeEffect(let place): try await StoreEffects(dashboard: self).show(place, exchange)
        case .viewerName: try await ViewerName(dashboard: self).keep(exchange)
        case .runOutput(let run): try await OutputText(dashboard: self).show(run, exchange)
        case .runLines(let run): try await OutputWindows(dashboard: self).show(run, exchange)
        case .runArtifact(let run, let name):
            try await RunArtifacts(dashboard: self).show(name, of: run, exchange)
        case .runExport(let run): try await RunExports(dashboard: self).show(run, exchange)
        case .runsExport: try await RunExports(dashboard: self).list(exchange)
        case .imports: try await RunImports(dashboard: self).create(exchange)
        case .resumption: try QuietEnd(dashboard: self).create(exchange)
        case .noticeDismissal(let id):
            try await Notices(dashboard: self).dismiss(id, exchange)
        case .badge(let operation): try Badges(dashboard: self).show(operation, exchange)
        case .widget(let name): try await Widgets(dashboard: self).show(name, exchange)
        case .widgetAfter(let name, let cursor):
            try await Widgets(dashboard: self).showNext(name, after: cursor, exchange)
        case .moments(let name): try await MomentComparison(dashboard: self).show(name, exchange)
        case .comparison(let operation): try await ComparePage(dashboard: self).show(operation, exchange)
        case .operationHealth(let id): try await HealthPage(dashboard: self).show(id, exchange)
        case .report: try await ReportPage(dashboard: self).show(exchange)
        case .schedules: try await ScheduleList(dashboard: self).show(exchange)
        case .schedulePause(let id):
            if exchange.request.method == .post {
                try await SchedulePauses(dashboard: self).pause(id, exchange)
            } else {
                try await SchedulePauses(dashboard: self).ask(id, exchange)
            }
        case .scheduleResumption(let id):
            try await SchedulePauses(dashboard: self).resume(id, exchange)
        case .assistant: throw .noSuchPage  // Handled by the dashboard.
        case .acknowledgement(let id):
            if exchange.request.method == .post {
                try await Acknowledging(dashboard: self).create(of: id, exchange)
            } else {
                try await Acknowledging(dashboard: self).ask(id, exchange)
            }
        case .acknowledgementEnd(let id):
            try await Acknowledging(dashboard: self).end(of: id, exchange)
        case .hook: throw .noSuchPage  // Handled before authorization.
        case .notificationTest(let id):
            try await HookPages(dashboard: self).test(id, exchange)
        case .serverNotificationTest: try await HookPages(dashboard: self).test(nil, exchange)
        case .gallery: try await GalleryPage(dashboard: self).show(exchange)
        case .system: try await SystemPage(dashboard: self).show(exchange)
        case .metrics: try metrics(exchange)
        case .poll: try await Polls(dashboard: self).answer(exchange)
        case .asset(let path): try Assets(dashboard: self).show(path, exchange)
        case .apiGuide: try await APIGuide(dashboard: self).show(exchange)
        case .api(let route): try await answer(route, exchange)
        case .healthLive: try Health(dashboard: self).live()
        case .healthReady: try Health(dashboard: self).ready()
        case .healthConnection: try ConnectionProbe(dashboard: self).answer(exchange)
        case .hello: try Greeter(dashboard: self).greet(exchange)
        }
    }

    private func answer(_ route: APIRoute, _ exchange: Exchange) async throws(Problem) -> Response {
        if let names = route.resource.parameters { try exchange.target.query.check(names) }
        return try await route.resource.answer(self, route, exchange)
    }

    private func metrics(_ exchange: Exchange) throws(Problem) -> Response {
        guard let registry = self.configuration.metrics else { throw .noSuchPage }
        return MetricsAnswer(registry: registry).response(to: exchange.request.headers)
    }
}

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
