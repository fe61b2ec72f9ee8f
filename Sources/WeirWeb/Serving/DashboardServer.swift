import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
package import Logging
package import NIOCore
import ServiceLifecycle
import Synchronization
package import WeirBoards
package import WeirPages

/// A server that serves a board's dashboard and nothing else, as a service of a service group.
///
/// On a graceful shutdown it takes no more connections, lets every held request go with the news, spread over a good second,
/// and ends what is left 1.6 s after; `run()` then returns. Shut the board down afterwards.
package struct DashboardServer: Service {
    /// What is served.
    package let dashboard: Dashboard
    private let host: String
    private let port: Int
    private let eventLoopGroup: any EventLoopGroup
    let registry = ConnectionRegistry()
    private let access: DashboardAccess<DashboardContext>
    private let onBound: @Sendable (Int) async -> Void
    /// What connections that are not encrypted do in tasks.
    let tasks = ConnectionTasks()

    /// Makes a server; nothing is bound before `run()`.
    ///
    /// - Parameters:
    ///   - board: What is served.
    ///   - access: Who may use it.
    ///   - templates: The templates; nil for the bundled ones.
    ///   - configuration: Paths, names and limits. The host is added to the allowed ones.
    ///   - host: The name or address to listen on; by default only this machine can connect.
    ///   - port: The port to listen on; 0 takes a free one.
    ///   - eventLoopGroup: Where connections live.
    ///   - logger: Where the server tells what it does.
    ///   - onBound: Called once with the bound port, when connections are taken.
    /// - Throws: `WebConfigurationError`; `TemplateSetError`, or what the file system says, when templates or `Public`
    ///   cannot be read.
    package init(
        board: Board, access: DashboardAccess<DashboardContext>, templates: TemplateSet? = nil,
        configuration: WebConfiguration = WebConfiguration(),
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
            dashboard: dashboard, access: access, host: host, port: port, eventLoopGroup: eventLoopGroup,
            onBound: onBound)
    }

    init(
        dashboard: Dashboard, access: DashboardAccess<DashboardContext>, host: String, port: Int,
        eventLoopGroup: any EventLoopGroup,
        onBound: @escaping @Sendable (Int) async -> Void
    ) {
        self.dashboard = dashboard
        self.access = access
        self.host = host
        self.port = port
        self.eventLoopGroup = eventLoopGroup
        self.onBound = onBound
    }

    /// Serves until a graceful shutdown, or until the task is cancelled.
    ///
    /// Throws `ListenError` when it cannot listen, such as on a port in use.
    package func run() async throws {
        if access.check.isOpen, !["127.0.0.1", "::1", "localhost"].contains(host) {
            dashboard.logger.warning(
                "Listening on \(host): everybody who reaches this machine can see and start everything. Put a proxy that authenticates its users in front, or listen on 127.0.0.1."
            )
        }
        let isBound = Atomic<Bool>(false)
        let responder = DashboardResponder(dashboard, access: access)
        dashboard.attach(access.check.withoutMiddleware)
        let application = Application(
            responder: responder, server: try serverBuilder(),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), backlog: 4_096),
            onServerRunning: { channel in
                await limitConnections(of: channel)
                isBound.store(true, ordering: .relaxed)
                await onBound(channel.localAddress?.port ?? port)
            },
            eventLoopGroupProvider: .shared(eventLoopGroup), logger: dashboard.logger)
        // Not a child of this task: whoever is being answered is still answered while this one is asked to end.
        let running = Task { await tasks.run() }
        defer { tasks.finish() }
        do {
            try await withTaskCancellationHandler {
                try await withGracefulShutdownHandler {
                    try await application.run()
                } onGracefulShutdown: {
                    dashboard.drain()
                    let (registry, clock) = (registry, dashboard.clock)
                    clock.schedule(at: clock.uptime + 1_600) { registry.closeAll() }
                }
            } onCancel: {
                registry.closeAll()
                running.cancel()
            }
            // What is held is still being let go.
            await registry.emptied()
            tasks.finish()
            await running.value
        } catch  where !isBound.load(ordering: .relaxed) && !(error is CancellationError) {
            throw ListenError(error, host: host, port: port)
        }
    }

    /// Has the listening socket accept only as many connections as there may be.
    private func limitConnections(of channel: any Channel) async {
        let limits = dashboard.configuration.connections
        let possible = FileLimit.connections(files: FileLimit.current)
        if let count = limits.count, count > possible {
            dashboard.logger.warning(
                "This process cannot open enough files for the configured number of connections. Raise `ulimit -n`.",
                metadata: ["wanted": "\(count)", "possible": "\(possible)"])
        }
        let (registry, dashboard, logger) = (registry, dashboard, dashboard.logger)
        let added = channel.eventLoop.submit {
            let limiter = AcceptLimiter(
                most: min(possible, max(1, limits.count ?? possible)), limits: limits,
                registry: registry, logger: logger, onPressure: { dashboard.letTasksGo() })
            try channel.pipeline.syncOperations.addHandler(limiter, position: .first)
        }
        do {
            try await added.get()
        } catch {
            logger.warning("The number of connections is not limited.", metadata: ["error": "\(error)"])
        }
    }

    /// Has browsers reach this server under these names from now on, besides its own address.
    package func allow(hosts: [String]) { dashboard.check.hosts.allow(hosts + [host]) }

    /// HTTP/1.1, or with a certificate HTTP/2 and HTTP/1.1 over TLS.
    private func serverBuilder() throws -> HTTPServerBuilder {
        guard let certificate = dashboard.configuration.certificate else {
            return HTTPServerBuilder { [dashboard, registry, tasks] responder in
                let heads = KnownHeads(edition: { dashboard.check.hosts.edition })
                return PlainChannel(responder: responder, tasks: tasks, logger: dashboard.logger) { codec in
                    let watch = ConnectionGuard(
                        limits: dashboard.configuration.connections, registry: registry, isUnencrypted: true,
                        heads: heads, codec: codec)
                    return [watch, HeldPollHandler(dashboard)]
                }
            }
        }
        let (dashboard, limits, registry, holds) = (
            dashboard, dashboard.configuration.connections, registry, StreamHolds()
        )
        let stream = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                SecureConnectionHandler(
                    .init(
                        http1: {
                            [ConnectionGuard(limits: limits, registry: registry)] + dashboard.channelHandlers()
                        }, stream: { [HeldPollHandler(dashboard)] }), holds: holds, limits: limits)
            ],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100))
        let configuration = HTTP2ChannelConfiguration(
            idleTimeout: limits.idle, gracefulCloseTimeout: .milliseconds(1_600), streamConfiguration: stream)
        let tls = certificate.configuration()
        return HTTPServerBuilder { responder in
            SecureChannel(
                try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: configuration, responder: responder),
                handshake: TimeAmount(limits.head), registry: registry, holds: holds)
        }
    }
}
