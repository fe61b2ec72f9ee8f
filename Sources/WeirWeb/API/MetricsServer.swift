import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
package import WeirTelemetry

/// The metrics as text, in the format that the client prefers.
struct MetricsAnswer {
    let registry: MetricsRegistry

    func response(to headers: HTTPFields) -> Response {
        let format = Exposition(accept: headers[.accept])
        let bytes = ByteBuffer(string: registry.text(format))
        let compressed = AcceptedCoding.isGzip(headers[.acceptEncoding]) ? Gzip.compress(bytes) : nil
        var fields: HTTPFields = [.vary: "Accept, Accept-Encoding"]
        if compressed != nil { fields[.contentEncoding] = "gzip" }
        return .bytes(compressed ?? bytes, type: format.contentType, caching: "no-store", headers: fields)
    }
}

/// Serves the metrics, and nothing else, at an address of their own without sign-in.
package struct MetricsServer: Service {
    private let registry: MetricsRegistry
    private let hosts: HostCheck
    private let host: String
    private let port: Int
    private let logger: Logger
    private let onBound: @Sendable (Int) async -> Void

    /// Creates a server without binding it.
    ///
    /// `allowedHosts` are the names under which it can be reached, in addition to addresses and `localhost`. `onBound` is
    /// called once with the bound port.
    package init(
        _ registry: MetricsRegistry, host: String, port: Int, allowedHosts: [String], logger: Logger,
        onBound: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.registry = registry
        self.host = host
        self.port = port
        self.logger = logger
        self.onBound = onBound
        hosts = HostCheck(allowed: allowedHosts + [host])
    }

    /// Serves until a graceful shutdown or cancellation.
    ///
    /// Throws `ListenError` if it cannot listen, for example because the port is in use.
    package func run() async throws {
        var configuration = ApplicationConfiguration(address: .hostname(host, port: port))
        configuration.availableConnectionsDelegate = MaximumAvailableConnections(64)
        let channel = HTTP1Channel.Configuration(
            idleTimeout: .seconds(90),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100))
        let application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in answer(request) },
            server: .http1(configuration: channel),
            configuration: configuration,
            onServerRunning: { [onBound] channel in await onBound(channel.localAddress?.port ?? 0) }, logger: logger)
        do {
            try await application.run()
        } catch let error where !(error is CancellationError) {
            throw ListenError(error, host: host, port: port, setting: "--metrics-listen")
        }
    }

    private func answer(_ request: Request) -> Response {
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        var response: Response
        if let authority = request.head.authority, !hosts.allows(authority) {
            response = .text(
                "This name is not allowed. Use an address, or add the name to `allowed-hosts`.\n",
                type: "text/plain; charset=utf-8", status: .forbidden, caching: "no-store")
        } else if path != "/metrics" {
            response = .text(
                "Only /metrics is served here.\n", type: "text/plain; charset=utf-8", status: .notFound,
                caching: "no-store")
        } else if ![.get, .head].contains(request.method) {
            response = .text(
                "Use GET.\n", type: "text/plain; charset=utf-8", status: .methodNotAllowed, caching: "no-store",
                headers: [.allow: "GET, HEAD"])
        } else {
            response = MetricsAnswer(registry: registry).response(to: request.headers)
        }
        SecurityHeaders.add(to: &response.headers, isPage: false)
        return request.method == .head ? response.head() : response
    }
}

extension Dashboard {
    /// Adds the gauges of this dashboard.
    package func observe(in registry: MetricsRegistry) {
        registry.observe(.heldPolls) { [holds = services.holds] in Double(holds.count) }
    }
}
