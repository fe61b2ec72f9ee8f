public import Boards
public import Hummingbird
import HummingbirdCore
public import Logging
public import NIOCore
public import Pages
public import ServiceLifecycle

/// A server that serves a board's dashboard and nothing else, as a service of a service group.
///
/// On a graceful shutdown it takes no more connections, lets every held request go with the news, spread over a good second,
/// and ends what is left 1.6 s after; `run()` then returns. Shut the board down afterwards.
public struct DashboardServer: Service {
    /// What is served.
    public let dashboard: Dashboard
    private let host: String
    private let port: Int
    private let eventLoopGroup: any EventLoopGroup
    private let limits: ConnectionLimits
    let registry = ConnectionRegistry()
    private let onBound: @Sendable (Int) async -> Void

    /// Makes a server; nothing is bound before `run()`.
    ///
    /// - Parameters:
    ///   - board: What is served.
    ///   - templates: The templates; nil for the bundled ones.
    ///   - configuration: Paths, names and limits. The host is added to the allowed ones.
    ///   - host: The name or address to listen on; by default only this machine can connect.
    ///   - port: The port to listen on; 0 takes a free one.
    ///   - eventLoopGroup: Where connections live.
    ///   - logger: Where the server tells what it does.
    ///   - onBound: Called once with the bound port, when connections are taken.
    /// - Throws: `TemplateSetError`, or what the file system says, when templates or `Public` cannot be read.
    public init(
        board: Board, templates: TemplateSet? = nil, configuration: WebConfiguration = WebConfiguration(),
        host: String = "127.0.0.1", port: Int = 8080,
        eventLoopGroup: any EventLoopGroup = EventLoopGroupProvider.singleton.eventLoopGroup,
        logger: Logger = Logger(label: "weir.web"), onBound: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        var configuration = configuration
        configuration.allowedHosts.append(host)
        let dashboard = try Dashboard(
            board: board, templates: templates, configuration: configuration, eventLoopGroup: eventLoopGroup,
            logger: logger)
        self.init(
            dashboard: dashboard, host: host, port: port, limits: ConnectionLimits(), eventLoopGroup: eventLoopGroup,
            onBound: onBound)
    }

    init(
        dashboard: Dashboard, host: String, port: Int, limits: ConnectionLimits, eventLoopGroup: any EventLoopGroup,
        onBound: @escaping @Sendable (Int) async -> Void
    ) {
        self.dashboard = dashboard
        self.host = host
        self.port = port
        self.limits = limits
        self.eventLoopGroup = eventLoopGroup
        self.onBound = onBound
    }

    /// Serves until a graceful shutdown, or until the task is cancelled.
    ///
    /// Throws what binding throws, such as a port in use.
    public func run() async throws {
        if !["127.0.0.1", "::1", "localhost"].contains(host) {
            dashboard.logger.warning(
                "Listening on \(host): whoever reaches this machine can see and start everything. Put a proxy that knows its users in front, or listen on 127.0.0.1."
            )
        }
        let application = Application(
            responder: DashboardResponder(dashboard), server: .http1(configuration: channelConfiguration),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), backlog: 4_096),
            onServerRunning: { channel in await onBound(channel.localAddress?.port ?? port) },
            eventLoopGroupProvider: .shared(eventLoopGroup), logger: dashboard.logger)
        try await withGracefulShutdownHandler {
            try await application.run()
        } onGracefulShutdown: {
            dashboard.drain()
            let registry = registry
            eventLoopGroup.any().scheduleTask(in: .milliseconds(1_600)) { registry.closeAll() }
        }
    }

    private var channelConfiguration: HTTP1Channel.Configuration {
        let (dashboard, limits, registry) = (dashboard, limits, registry)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(limits: limits, registry: registry)]
                + dashboard.channelHandlers(),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100))
    }
}
