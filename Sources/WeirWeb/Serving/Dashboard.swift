public import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
import NIOConcurrencyHelpers
public import NIOCore
import Synchronization
import WeirAccess
public import WeirBoards
import WeirFlows
public import WeirJournals
public import WeirPages

/// A board on the web: its pages, its live feeds and its API, whatever server they are mounted in.
///
/// Make one, then either mount it in a router of your own (`router.mountWeir(dashboard)`) or serve it with
/// `DashboardServer`. It answers one request after the other or many at once; it keeps nothing of a viewer in between.
public final class Dashboard: Sendable {
    /// What shows it.
    var renderer: PageRenderer { edition.withLockedValue { $0.renderer } }
    let services: DashboardServices
    let eventLoopGroup: any EventLoopGroup
    /// What every audience is shown.
    ///
    /// Only from here is the board reached.
    let audiences: AudienceDashboards
    /// The dashboard of those who may do everything where nobody is asked who they are.
    var everything: AudienceDashboard { edition.withLockedValue { $0.everything } }
    /// The dashboard of those who may see nothing: of what is the same for everybody.
    var nothing: AudienceDashboard { edition.withLockedValue { $0.nothing } }
    private let edition: NIOLockedValueBox<DashboardEdition>
    private let board: Board
    private let rights: RightsWatch
    /// How a server's event loops know who sends a tail; none while the dashboard is mounted nowhere.
    private let attached = Mutex<AccessCheck?>(nil)

    /// How it was set up.
    package var configuration: WebConfiguration { services.configuration }
    var mount: MountPath { services.mount }
    var check: RequestCheck { services.check }
    var clock: any WaitClock { services.clock }
    var logger: Logger { services.logger }
    /// What answers polls where nobody is asked who they are.
    var pollResponder: PollResponder { everything.pollResponder }
    /// What answers readers of streams there.
    var streamResponder: StreamResponder { everything.streamResponder }

    /// Makes a dashboard of a board.
    ///
    /// - Parameters:
    ///   - board: What is shown.
    ///   - templates: The templates; nil for the bundled ones.
    ///   - configuration: Paths, names and limits.
    ///   - eventLoopGroup: Where what is held without a connection of ours is answered.
    ///   - now: The time of day.
    ///   - makeID: Makes names for uploaded files: letters, digits and hyphens, never the same twice.
    ///   - logger: Where the dashboard tells what it does.
    /// - Throws: `WebConfigurationError`; `TemplateSetError`, or what the file system says, when templates or `Public`
    ///   cannot be read.
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
            presence: configuration.showsViewers ? Presence(clock: clock) : nil,
            checks: TemplateChecks(on: pool) { Timestamp(milliseconds: clock.wall) })
        self.services = services
        let edition = NIOLockedValueBox(DashboardEdition(board, renderer: renderer, services: services))
        self.edition = edition
        let audiences = AudienceDashboards(clock: clock) { key async throws(BoardError) in
            try await edition.withLockedValue { $0 }.dashboard(for: key)
        }
        self.audiences = audiences
        let first = edition.withLockedValue { $0 }
        audiences.keep(first.everything)
        audiences.keep(first.nothing)
        services.presence?.onChange { [weak audiences] store in
            audiences?.all.forEach { $0.pollResponder.showVisitors(of: store) }
        }
        rights = RightsWatch(clock: clock) { [weak audiences, bodies = services.bodiesBeingRead] in
            bodies.lookAtRights()
            audiences?.all.forEach { $0.pollResponder.lookAtRights() }
        } onLook: { [weak audiences] in
            audiences?.letIdleGo()
        }
    }

    /// Lets requests in, and begins to check the templates: called when the dashboard is mounted or served.
    ///
    /// Event loops go by the last one.
    ///
    /// - Parameters:
    ///   - check: Who may do what.
    ///   - report: Called with the problems of the templates.
    func attach(_ check: AccessCheck, report: @escaping @Sendable ([TemplateProblem]) -> Void = { _ in }) {
        services.checks.begin(renderer, report: report)
        check.control.replace(subjects: board.catalog.subjects)
        attached.withLock { $0 = check }
        services.resumable.startSweeping()
        if !check.isOpen { rights.watch(check.control) }
    }

    /// Runs and shows the operations of another catalog from now on, to whoever has a page open too.
    ///
    /// - Parameters:
    ///   - catalog: What can be run; its stores stay those that the board was opened with.
    ///   - templates: The templates and strings.
    ///   - drainTimeout: How long a shutdown waits for runs from now on; nil for as long as before.
    /// - Throws: `JournalError` when the journal cannot be read, `WorkPool.Busy` when too much waits; then nothing has changed.
    package func replace(_ catalog: Catalog, templates: TemplateSet, drainTimeout: Duration? = nil) async throws {
        let before = renderer
        let made = try await WorkPool.files.run { before.showing(catalog, templates: templates) }
        // Rules first: nobody is shown an operation, for however short a time, whose new tags keep it from them.
        attached.withLock { $0 }?.control.replace(subjects: catalog.subjects)
        do {
            try await board.replace(catalog, drainTimeout: drainTimeout)
        } catch {
            attached.withLock { $0 }?.control.replace(subjects: board.catalog.subjects)
            throw error
        }
        // With the stores that the board was opened with.
        let shown = made.restricted(to: board.catalog, permissions: made.permissions)
        let next = DashboardEdition(board, renderer: shown, services: services)
        edition.withLockedValue { $0 = next }
        audiences.replace(with: next.everything, next.nothing)
        services.checks.begin(shown)
    }

    /// What is known of a tail on the event loop of its connection.
    enum TailAdmission {
        /// Who sends it, and the dashboard of their audience.
        case authorized(Admission, AudienceDashboard)
        case refused
        case askRoute
    }

    /// Who sends a tail, as far as that is known on the event loop of its connection.
    func admit(_ head: TailHead, peer: @autoclosure () -> SocketAddress?) -> TailAdmission {
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

    /// How many requests are held at this moment.
    package var held: Int { audiences.all.reduce(0) { $0 + $1.pollResponder.held } }

    /// Lets all held requests go, spread over a good second, and holds none any more: the server shuts down.
    public func drain() {
        services.checks.abandon()
        audiences.drain()
    }

    /// Lets those tasks go that wait for a change: others need their connections.
    func letTasksGo() { audiences.all.forEach { $0.pollResponder.letTasksGo() } }
}
