public import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
import NIOConcurrencyHelpers
public import NIOCore
import Synchronization
package import WeirAccess
public import WeirBoards
import WeirFlows
public import WeirJournals
import WeirOperations
public import WeirPages

/// The web dashboard of a board: its pages, live feeds and API.
///
/// Create one, then either mount it in your own router (`router.mountWeir(dashboard)`) or serve it with `DashboardServer`.
/// Handles concurrent requests and keeps no state per viewer.
public final class Dashboard: Sendable {
    var renderer: PageRenderer { edition.withLockedValue { $0.renderer } }
    let services: DashboardServices
    let eventLoopGroup: any EventLoopGroup
    /// The dashboards of all audiences.
    ///
    /// The only access to the board.
    let audiences: DashboardCache
    /// The dashboard of full permissions, used if authentication is off.
    var everything: AudienceDashboard { edition.withLockedValue { $0.everything } }
    /// The dashboard without permissions, for content that is the same for every sender.
    var nothing: AudienceDashboard { edition.withLockedValue { $0.nothing } }
    private let edition: NIOLockedValueBox<CatalogDashboards>
    private let board: Board
    private let rights: RightsWatch
    /// How the server's event loops authenticate polls; nil while the dashboard is not mounted.
    private let attached = Mutex<AccessCheck?>(nil)

    var configuration: WebConfiguration { services.configuration }
    /// The mistakes that the last check of templates, strings and operation files found; nil while a check is running.
    package var fileMistakes: [TemplateProblem]? { services.checks.last?.problems }
    /// The name of this server, or nil if it is the only one on its journal.
    var serverName: String? { everything.board.nodes.thisServer }
    var mount: MountPath { services.mount }
    var check: RequestCheck { services.check }
    var clock: any WaitClock { services.clock }
    var logger: Logger { services.logger }
    /// The poll responder used if authentication is off.
    var pollResponder: PollResponder { everything.pollResponder }
    /// The stream responder used if authentication is off.
    var streamResponder: StreamResponder { everything.streamResponder }

    /// Creates a dashboard.
    ///
    /// - Parameters:
    ///   - board: The board to show.
    ///   - templates: The templates; nil for the bundled ones.
    ///   - configuration: Paths, names and limits.
    ///   - eventLoopGroup: Where requests are answered that are held without a connection of `DashboardServer`.
    ///   - now: Returns the time of day.
    ///   - makeID: Makes unique ids for uploaded files: letters, digits and hyphens.
    ///   - logger: The dashboard's logger.
    /// - Throws: `WebConfigurationError`; `TemplateSetError`, or a file system error, if templates or `Public` cannot be
    ///   read.
    public convenience init(
        board: Board, templates: TemplateSet? = nil, configuration: WebConfiguration = WebConfiguration(),
        eventLoopGroup: any EventLoopGroup = EventLoopGroupProvider.singleton.eventLoopGroup,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        makeID: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() },
        logger: Logger = Logger(label: "weir.web")
    ) throws {
        let assets = try AssetLibrary(overlay: configuration.publicFolder)
        let renderer = PageRenderer(
            catalog: board.catalog, templates: try templates ?? TemplateSet(),
            mountPath: MountPath(configuration.mountPath).description, assetFolder: assets.folder,
            offersLinks: configuration.offersLinks)
        try self.init(
            board: board, renderer: renderer, assets: assets, configuration: configuration,
            eventLoopGroup: eventLoopGroup,
            clock: EventLoopClock(now: now), makeID: makeID, logger: logger)
    }

    init(
        board: Board, renderer: PageRenderer, assets: AssetLibrary, configuration: WebConfiguration,
        eventLoopGroup: any EventLoopGroup, clock: any WaitClock, makeID: @escaping @Sendable () -> String,
        logger: Logger, checkingOn pool: WorkPool = .files
    ) throws {
        self.board = board
        self.eventLoopGroup = eventLoopGroup
        let services = DashboardServices(
            configuration: configuration, mount: MountPath(configuration.mountPath),
            exports: ConcurrencyLimit(configuration.maximumExports),
            assets: assets,
            check: RequestCheck(
                hosts: HostCheck(allowed: configuration.allowedHosts), actors: try ActorCheck(configuration)),
            stateWrites: RateLimit(perMinute: configuration.stateWritesPerMinute, clock: clock),
            hookStarts: RateLimit(perMinute: configuration.hookRequestsPerMinute, clock: clock),
            bodies: BodyBudget(limit: configuration.bodyMemory),
            answers: BodyBudget(limit: configuration.answerMemory, free: BodyBudget.freeAnswer),
            resumable: ResumableUploads(
                folder: configuration.spoolFolder.appending(path: "uploads"), limits: configuration.unfinishedUploads,
                clock: clock, logger: logger), clock: clock, makeID: makeID,
            startedAt: Timestamp(milliseconds: clock.wall), logger: logger,
            requests: RequestMonitor(configuration.telemetry),
            presence: configuration.showsViewers ? Presence(clock: clock) : nil,
            checks: TemplateChecks(on: pool) { Timestamp(milliseconds: clock.wall) })
        self.services = services
        let edition = NIOLockedValueBox(CatalogDashboards(board, renderer: renderer, services: services))
        self.edition = edition
        let audiences = DashboardCache(clock: clock) { key async throws(BoardError) in
            try await edition.withLockedValue { $0 }.dashboard(for: key)
        }
        self.audiences = audiences
        let first = edition.withLockedValue { $0 }
        audiences.keep(first.everything)
        audiences.keep(first.nothing)
        services.presence?.onChange { [weak audiences] store in
            audiences?.responders.forEach { $0.showVisitors(of: store) }
        }
        rights = RightsWatch(clock: clock) { [weak audiences, bodies = services.bodiesBeingRead] in
            bodies.lookAtRights()
            audiences?.responders.forEach { $0.lookAtRights() }
        } onLook: { [weak audiences] in
            audiences?.letIdleGo()
        }
    }

    /// Starts serving with `check` and begins to check the templates; called on mounting or serving.
    ///
    /// Event loops use the check of the last call. `report` is called with the problems of the templates.
    func attach(_ check: AccessCheck, report: @escaping @Sendable ([TemplateProblem]) -> Void = { _ in }) {
        services.checks.begin(renderer, report: report)
        check.control.replace(subjects: board.catalog.subjects)
        attached.withLock { $0 = check }
        services.resumable.startSweeping()
        if !check.isOpen { rights.watch(check.control) }
    }

    /// Replaces the catalog, also for open pages.
    ///
    /// - Parameters:
    ///   - catalog: The operations to run; the stores stay those of the board.
    ///   - templates: The templates and strings.
    ///   - drainTimeout: How long a shutdown waits for runs from now on; nil for no change.
    /// - Throws: `JournalError` if the journal cannot be read, `WorkPool.Busy` if the queue is full; nothing has changed
    ///   then.
    package func replace(_ catalog: Catalog, templates: TemplateSet, drainTimeout: Duration? = nil) async throws {
        let before = renderer
        let made = try await WorkPool.files.run { before.showing(catalog, templates: templates) }
        // Rules first, so that an operation with newly restrictive tags is never visible without permission.
        attached.withLock { $0 }?.control.replace(subjects: catalog.subjects)
        do {
            try await board.replace(catalog, drainTimeout: drainTimeout)
        } catch {
            attached.withLock { $0 }?.control.replace(subjects: board.catalog.subjects)
            throw error
        }
        // Keeps the stores of the board.
        let shown = made.restricted(to: board.catalog, permissions: made.permissions)
        let next = CatalogDashboards(board, renderer: shown, services: services)
        edition.withLockedValue { $0 = next }
        audiences.replace(with: next.everything, next.nothing)
        services.checks.begin(shown)
    }

    enum HeldAdmission {
        /// The sender's permissions and the dashboard of their audience.
        case authorized(Admission, AudienceDashboard)
        case refused
        case askRoute
    }

    /// Authenticates a poll on its connection's event loop, or defers to the route.
    func admit(_ head: HeldRequestHead, peer: @autoclosure () -> SocketAddress?) -> HeldAdmission {
        guard let check = attached.withLock({ $0 }) else { return .askRoute }
        let answer: AccessCheck.Answer =
            if case .known = head, let anybody = check.anybody { .authorized(anybody) } else {
                check.onEventLoop(head.request, peer())
            }
        switch answer {
        case .askRoute: return .askRoute
        case .refused: return .refused
        case .authorized(let authorization):
            let admission = Admission(authorization: authorization, check: check)
            return audiences.known(admission.key).map { .authorized(admission, $0) } ?? .askRoute
        }
    }

    package var held: Int { audiences.responders.reduce(0) { $0 + $1.held } }

    /// Whether another server has replaced this one.
    var isReplaced: Bool { board.currentRole.value == .replaced }

    /// Ends all held requests within about a second and holds no more, because the server shuts down.
    public func drain() {
        services.checks.abandon()
        audiences.drain()
    }

    /// Makes the readiness check fail, while all requests are still answered.
    package func announceStop() { services.stopNotice.give() }

    func letTasksGo() { audiences.responders.forEach { $0.letTasksGo() } }
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
