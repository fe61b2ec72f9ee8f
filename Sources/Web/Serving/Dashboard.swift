import Access
public import Boards
public import Foundation
import HTTPTypes
public import Hummingbird
public import Journals
public import Logging
public import NIOCore
public import Pages
import Synchronization

/// A board on the web: its pages, its live feeds and its API, whatever server they are mounted in.
///
/// Make one, then either mount it in a router of your own (`router.mountWeir(dashboard)`) or serve it with
/// `DashboardServer`. It answers one request after the other or many at once; it keeps nothing of a viewer in between.
public final class Dashboard: Sendable {
    /// What shows it.
    let renderer: PageRenderer
    let services: DashboardServices
    let eventLoopGroup: any EventLoopGroup
    /// What every audience is shown.
    ///
    /// Only from here is the board reached.
    let audiences: AudienceDashboards
    /// The dashboard of those who may do everything where nobody is asked who they are.
    let everything: AudienceDashboard
    /// The dashboard of those who may see nothing: of what is the same for everybody.
    let nothing: AudienceDashboard
    /// What rules can be about.
    private let subjects: [Subject]
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
    ///   - eventLoopGroup: Where timers run.
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
            clock: EventLoopClock(group: eventLoopGroup, now: now), makeID: makeID, logger: logger)
    }

    init(
        board: Board, renderer: PageRenderer, assets: AssetLibrary, configuration: WebConfiguration,
        eventLoopGroup: any EventLoopGroup, clock: any WaitClock, makeID: @escaping @Sendable () -> String,
        logger: Logger
    ) throws {
        self.renderer = renderer
        self.eventLoopGroup = eventLoopGroup
        let services = DashboardServices(
            configuration: configuration, mount: MountPath(configuration.mountPath),
            exports: ConcurrencyLimit(configuration.maximumExports),
            assets: assets,
            check: RequestCheck(
                hosts: HostCheck(allowed: configuration.allowedHosts), actors: try ActorCheck(configuration)),
            stateWrites: RateLimit(perMinute: configuration.stateWritesPerMinute, clock: clock),
            hookStarts: RateLimit(perMinute: configuration.hookRequestsPerMinute, clock: clock),
            bodies: BodyBudget(limit: configuration.bodyMemory), clock: clock, makeID: makeID,
            startedAt: Timestamp(milliseconds: clock.wall), logger: logger)
        self.services = services
        let caches = PollCaches()
        let make = { @Sendable (visible: VisibleBoard, key: AudienceDashboards.Key, pages: Catalog) in
            AudienceDashboard(
                key.audience, isPublic: key.isPublic, board: visible,
                renderer: renderer.restricted(to: pages, permissions: visible.permissions), services: services,
                caches: caches, softCap: configuration.maximumHolds)
        }
        let audiences = AudienceDashboards(clock: clock) { key async throws(BoardError) in
            let visible = try await VisibleBoard(board, for: key.audience.permissions)
            return make(visible, key, try await visible.pageCatalog())
        }
        self.audiences = audiences
        everything = make(VisibleBoard(whole: board), .open, board.catalog)
        nothing = make(VisibleBoard(nothingOf: board), .nobody, Catalog())
        audiences.keep(everything)
        audiences.keep(nothing)
        subjects = board.catalog.subjects
        rights = RightsWatch(clock: clock) { [weak audiences, bodies = services.bodiesBeingRead] in
            bodies.lookAtRights()
            audiences?.all.forEach { $0.pollResponder.lookAtRights() }
        } onLook: { [weak audiences] in
            audiences?.letIdleGo()
        }
    }

    /// Lets requests in: called when the dashboard is mounted or served.
    ///
    /// Event loops go by the last one.
    func attach(_ check: AccessCheck) {
        check.control.replace(subjects: subjects)
        attached.withLock { $0 = check }
        if !check.isOpen { rights.watch(check.control) }
    }

    /// What is known of a tail on the event loop of its connection.
    enum TailAdmission {
        /// Who sends it, and the dashboard of their audience.
        case authorized(Admission, AudienceDashboard)
        case refused
        case askRoute
    }

    /// Who sends a tail, as far as that is known on the event loop of its connection.
    func admit(_ head: HTTPRequest, peer: SocketAddress?) -> TailAdmission {
        guard let check = attached.withLock({ $0 }) else { return .askRoute }
        switch check.onEventLoop(head, peer) {
        case .askRoute: return .askRoute
        case .refused: return .refused
        case .authorized(let authorization):
            let admission = Admission(authorization: authorization, check: check)
            return audiences.known(admission.key).map { .authorized(admission, $0) } ?? .askRoute
        }
    }

    /// How many requests are held at this moment.
    public var held: Int { audiences.all.reduce(0) { $0 + $1.pollResponder.held } }

    /// Lets all held requests go, spread over a good second, and holds none any more: the server shuts down.
    public func drain() { audiences.drain() }

    /// Lets those tasks go that wait for a change: others need their connections.
    func letTasksGo() { audiences.all.forEach { $0.pollResponder.letTasksGo() } }
}
