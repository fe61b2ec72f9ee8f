import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
package import Logging
package import NIOCore
import ServiceLifecycle
import Synchronization
package import WeirBoards
package import WeirPages
import WeirStates

/// A service that serves a board's dashboard.
///
/// On a graceful shutdown it accepts no more connections, ends every held request within about a second, and closes the
/// remaining connections 1.6 s after its start; `run()` then returns. Shut down the board afterwards.
package struct DashboardServer: Service {
    package let dashboard: Dashboard
    private let host: String
    private let port: Int
    /// The bound socket to listen on instead of the host and port, or nil.
    private let descriptor: CInt?
    private let eventLoopGroup: any EventLoopGroup
    let registry = ConnectionRegistry()
    private let access: DashboardAccess<DashboardContext>
    private let onBound: @Sendable (Int) async -> Void
    let tasks = ConnectionTasks()

    /// Creates a server without binding it.
    ///
    /// - Parameters:
    ///   - board: The board to serve.
    ///   - access: Who may use it.
    ///   - templates: The templates; nil for the bundled ones.
    ///   - configuration: Paths, names and limits. The host is added to the allowed ones.
    ///   - host: The name or address to listen on; by default only local clients can connect.
    ///   - port: The port to listen on; 0 picks a free one.
    ///   - descriptor: A bound socket to listen on, whose address are the host and port; nil to bind one.
    ///   - eventLoopGroup: The event loops of the connections.
    ///   - logger: The server's logger.
    ///   - onBound: Called once with the bound port, when the server accepts connections.
    /// - Throws: `WebConfigurationError`; `TemplateSetError`, or a file system error, if templates or `Public` cannot be
    ///   read.
    package init(
        board: Board, access: DashboardAccess<DashboardContext>, templates: TemplateSet? = nil,
        configuration: WebConfiguration = WebConfiguration(),
        host: String = "127.0.0.1", port: Int = 8080, descriptor: CInt? = nil,
        eventLoopGroup: any EventLoopGroup = EventLoopGroupProvider.singleton.eventLoopGroup,
        logger: Logger = Logger(label: "weir.web"), onBound: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        var configuration = configuration
        configuration.allowedHosts.append(host)
        let dashboard = try Dashboard(
            board: board, templates: templates, configuration: configuration, eventLoopGroup: eventLoopGroup,
            logger: logger)
        self.init(
            dashboard: dashboard, access: access, host: host, port: port, descriptor: descriptor,
            eventLoopGroup: eventLoopGroup, onBound: onBound)
    }

    init(
        dashboard: Dashboard, access: DashboardAccess<DashboardContext>, host: String, port: Int,
        descriptor: CInt? = nil, eventLoopGroup: any EventLoopGroup,
        onBound: @escaping @Sendable (Int) async -> Void
    ) {
        self.dashboard = dashboard
        self.access = access
        self.host = host
        self.port = port
        self.descriptor = descriptor
        self.eventLoopGroup = eventLoopGroup
        self.onBound = onBound
    }

    /// Serves until a graceful shutdown or cancellation.
    ///
    /// Throws `ListenError` if it cannot listen, for example because the port is in use.
    package func run() async throws {
        if access.check.isOpen, !["127.0.0.1", "::1", "localhost"].contains(host) {
            dashboard.logger.warning(
                "Listening on \(host): everybody who reaches this machine can see and start everything. Put a proxy that authenticates its users in front, or listen on 127.0.0.1."
            )
        }
        let isBound = Atomic<Bool>(false)
        let responder = DashboardResponder(dashboard, access: access)
        dashboard.attach(access.check.withoutMiddleware)
        // Beside a socket that was passed, Hummingbird listens on one that nobody can reach.
        let unused = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)").path
        let application = Application(
            responder: responder, server: try serverBuilder(),
            configuration: ApplicationConfiguration(
                address: descriptor == nil ? .hostname(host, port: port) : .unixDomainSocket(path: unused),
                backlog: 4_096),
            onServerRunning: { server in
                var channel = server
                if let descriptor {
                    do {
                        try FileManager.default.removeItem(atPath: unused)
                        channel = try await ListenerRelay.start(on: descriptor, for: server, eventLoopGroup)
                    } catch {
                        dashboard.logger.error("The passed socket cannot be used.", metadata: ["error": "\(error)"])
                        return server.close(promise: nil)
                    }
                }
                await limitConnections(of: channel)
                isBound.store(true, ordering: .relaxed)
                await onBound(channel.localAddress?.port ?? port)
            },
            eventLoopGroupProvider: .shared(eventLoopGroup), logger: dashboard.logger)
        // Unstructured, so that requests in progress are still answered after this task is asked to end.
        let running = Task { await tasks.run() }
        defer { tasks.finish() }
        do {
            try await withTaskCancellationHandler {
                try await withGracefulShutdownHandler {
                    try await application.run()
                } onGracefulShutdown: {
                    dashboard.drain()
                    let (registry, clock) = (registry, dashboard.clock)
                    // A replaced server has no changes to send any more.
                    let wait: Int64 = dashboard.isReplaced ? 200 : 1_600
                    clock.schedule(at: clock.uptime + wait) { registry.closeAll() }
                }
            } onCancel: {
                registry.closeAll()
                running.cancel()
            }
            // Held requests are still being released.
            await registry.emptied()
            tasks.finish()
            await running.value
        } catch  where !isBound.load(ordering: .relaxed) && !(error is CancellationError) {
            throw ListenError(error, host: host, port: port)
        }
    }

    /// Returns when every event loop has run a task: never, if one of them is stuck.
    package func visitEventLoops() async {
        for loop in eventLoopGroup.makeIterator() {
            do { try await loop.submit {}.get() } catch { return }
        }
    }

    /// Limits the number of connections that the listening socket accepts.
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

    /// Replaces the host names under which browsers may reach this server, besides its own address.
    package func allow(hosts: [String]) { dashboard.check.hosts.allow(hosts + [host]) }

    /// Returns a builder for HTTP/1.1, or with a certificate for HTTP/2 and HTTP/1.1 over TLS.
    private func serverBuilder() throws -> HTTPServerBuilder {
        guard let certificate = dashboard.configuration.certificate else {
            return HTTPServerBuilder { [dashboard, registry, tasks] responder in
                let heads = RequestHeadCache(edition: { dashboard.check.hosts.edition })
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

/// An error of listening on an address, with a description that suggests a fix.
package struct ListenError: Error, Sendable, CustomStringConvertible {
    package enum Reason: Sendable {
        case inUse
        /// The address does not belong to this machine.
        case notThisMachine
        case notAllowed
        case unknownHost
        case other
    }

    package let reason: Reason
    /// The cause, and what to do about it.
    package let description: String

    /// Explains an error; `setting` is the flag of the address and port if these are not `--host` and `--port`.
    init(_ error: any Error, host: String, port: Int, setting: String? = nil) {
        let (hostFlag, portFlag) = (setting ?? "--host", setting ?? "--port")
        let code = (error as? IOError)?.errnoCode
        switch code {
        case EADDRINUSE:
            reason = .inUse
            description =
                "Another program listens on port \(port) of \(host). Stop it, or choose another port: \(portFlag)\(setting == nil ? " 0 takes a free one" : "")."
        case EADDRNOTAVAIL:
            reason = .notThisMachine
            description =
                "The address \(host) is not an address of this machine. Choose one with \(hostFlag): 127.0.0.1 for this machine alone, 0.0.0.0 for all its addresses."
        case EACCES, EPERM:
            reason = .notAllowed
            description =
                "This program is not allowed to listen on port \(port) of \(host): ports below 1024 are for privileged programs. Choose a higher one with \(portFlag)."
        case nil:
            reason = .unknownHost
            description =
                "The host name \(host) is unknown. Use an address of this machine, such as 127.0.0.1, with \(hostFlag), or a name that resolves to one."
        case let code?:
            reason = .other
            description =
                "The system does not let this program listen on port \(port) of \(host): \(String(cString: strerror(code)))."
        }
    }
}
