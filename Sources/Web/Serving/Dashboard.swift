public import Boards
public import Foundation
import HTTPTypes
public import Hummingbird
public import Journals
public import Logging
public import NIOCore
public import Pages

/// A board on the web: its pages, its live feeds and its API, whatever server they are mounted in.
///
/// Make one, then either mount it in a router of your own (`router.mountWeir(dashboard)`) or serve it with
/// `DashboardServer`. It answers one request after the other or many at once; it keeps nothing of a viewer in between.
public final class Dashboard: Sendable {
    /// What is shown.
    public let board: Board
    /// What shows it.
    public let renderer: PageRenderer
    /// How it was set up.
    public let configuration: WebConfiguration

    let mount: MountPath
    let desk: PollDesk
    let assets: AssetLibrary
    let hosts: HostCheck
    let clock: any HoldClock
    let makeID: @Sendable () -> String
    let startedAt: Timestamp
    let eventLoopGroup: any EventLoopGroup
    let logger: Logger

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
    /// - Throws: `TemplateSetError`, or what the file system says, when templates or `Public` cannot be read.
    public convenience init(
        board: Board, templates: TemplateSet? = nil, configuration: WebConfiguration = WebConfiguration(),
        eventLoopGroup: any EventLoopGroup = EventLoopGroupProvider.singleton.eventLoopGroup,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        makeID: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() },
        logger: Logger = Logger(label: "weir.web")
    ) throws {
        let renderer = PageRenderer(
            catalog: board.catalog, templates: try templates ?? TemplateSet(),
            mountPath: MountPath(configuration.mountPath).description)
        try self.init(
            board: board, renderer: renderer, configuration: configuration, eventLoopGroup: eventLoopGroup,
            clock: EventLoopClock(group: eventLoopGroup, now: now), makeID: makeID, logger: logger)
    }

    init(
        board: Board, renderer: PageRenderer, configuration: WebConfiguration, eventLoopGroup: any EventLoopGroup,
        clock: any HoldClock, makeID: @escaping @Sendable () -> String, logger: Logger
    ) throws {
        self.board = board
        self.renderer = renderer
        self.configuration = configuration
        self.eventLoopGroup = eventLoopGroup
        self.clock = clock
        self.makeID = makeID
        self.logger = logger
        mount = MountPath(configuration.mountPath)
        assets = try AssetLibrary(overlay: configuration.publicFolder)
        hosts = HostCheck(allowed: configuration.allowedHosts)
        startedAt = Timestamp(milliseconds: clock.wall)
        desk = PollDesk(
            board: board, renderer: renderer, mount: mount, clock: clock, softCap: configuration.maximumHolds)
    }

    /// How many requests are held at this moment.
    public var held: Int { desk.held }

    /// Lets all held requests go, spread over a good second, and holds none any more: the server shuts down.
    public func drain() { desk.drain() }
}
