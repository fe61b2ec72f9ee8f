import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import WeirBoards
import WeirFiles
import WeirFlows
import WeirJournals
import WeirStandard
import WeirTelemetry
import WeirWeb

/// The metrics and spans of a server, and the services that publish them.
struct ServerTelemetry: Sendable {
    let registry = MetricsRegistry()
    let history = SystemHistory()
    let telemetry: Telemetry
    private let exporter: SpanExporter?
    private let listen: ListenAddress?
    private let allowedHosts: [String]
    private let logger: Logger

    init(_ settings: Settings, allowedHosts: [String], logger: Logger) {
        self.logger = logger
        self.allowedHosts = allowedHosts
        listen = settings.text("metrics.listen").flatMap(ListenAddress.init)
        registry.observeProcess(version: RootCommand.version, startedAt: Date().timeIntervalSince1970)
        let resource = ["service.name": "weir", "service.version": RootCommand.version]
        let exporter = settings.text("tracing.endpoint").map { [registry] endpoint in
            let collector = SpanCollector(endpoint)
            return SpanExporter(resource: resource, metrics: registry, logger: logger) { try await collector.send($0) }
        }
        self.exporter = exporter
        let onEnd = exporter.map { exporter in { @Sendable (span: FinishedSpan) in exporter.add(span) } }
        telemetry = Telemetry(metrics: registry, tracer: SpanTracer(onEnd: onEnd))
    }

    /// Adds the gauges of a running server, and returns the services that publish metrics and spans.
    func services(_ board: Board, _ dashboard: Dashboard, _ notifier: Notifier, folder: URL) -> [any Service] {
        board.observe(in: registry)
        dashboard.observe(in: registry)
        for kind in ServerCondition.Kind.allCases {
            registry.observe(.conditions, [("condition", kind.rawValue)]) {
                notifier.conditions.contains { $0.kind == kind } ? 1 : 0
            }
        }
        let samples = SampledGauges(in: registry)
        let usage = CPUUsage()
        let sampling = SamplingService { [registry, history] in
            let size = try? await board.journalSize()
            samples.set(.journalBytes, size.map(Double.init))
            samples.set(.deliveriesWaiting, await notifier.waiting().map(Double.init))
            let free = try? await WorkPool.files.run { ProcessUsage.freeBytes(at: folder.path) }
            samples.set(.diskFree, free ?? nil)
            history.add(Self.sample(registry, usage), at: Timestamp(Date()).milliseconds)
        }
        var services: [any Service] = [sampling]
        if let exporter { services.append(ExportService(exporter: exporter)) }
        if let listen {
            services.append(
                MetricsServer(
                    registry, host: listen.host, port: listen.port, allowedHosts: allowedHosts, logger: logger
                ) { port in
                    let host = listen.host.contains(":") ? "[\(listen.host)]" : listen.host
                    print("Metrics are at http://\(host):\(port)/metrics")
                    fflush(nil)
                })
        }
        return services
    }
}

extension ServerTelemetry {
    /// The current resources and work, for a line of the log.
    var standing: Logger.Metadata {
        let metrics: [String: Metric] = [
            "active": .activeRuns, "queued": .queuedRuns, "oldest-queued-seconds": .oldestQueued,
            "messages": .deliveriesWaiting, "disk-free-bytes": .diskFree, "journal-bytes": .journalBytes,
            "memory-bytes": .memory, "files": .openFiles,
        ]
        return metrics.compactMapValues { metric in
            registry.value(of: metric).flatMap { Int64(exactly: $0.rounded()) }.map { "\($0)" }
        }
    }

    private static func sample(_ registry: MetricsRegistry, _ usage: CPUUsage) -> [SystemHistory.Reading: Double] {
        var sample: [SystemHistory.Reading: Double] = [:]
        let metrics: [SystemHistory.Reading: Metric] = [
            .memory: .memory, .files: .openFiles, .disk: .diskFree, .journal: .journalBytes, .activeRuns: .activeRuns,
            .queued: .queuedRuns, .oldestQueued: .oldestQueued, .heldPolls: .heldPolls, .messages: .deliveriesWaiting,
        ]
        for (reading, metric) in metrics { sample[reading] = registry.value(of: metric) }
        sample[.threads] = ProcessUsage.threads().map(Double.init)
        sample[.cpu] = usage.read()
        return sample
    }
}

/// The CPU time of the process between two readings.
private final class CPUUsage: Sendable {
    private let last = Locked((time: ContinuousClock.now, seconds: ProcessUsage.cpuSeconds() ?? 0))

    /// The fraction of one core that was used since the last reading; nil if no time has passed.
    func read() -> Double? {
        let (now, seconds) = (ContinuousClock.now, ProcessUsage.cpuSeconds() ?? 0)
        return last.withLock { last in
            defer { last = (now, seconds) }
            let passed = last.time.duration(to: now).components
            let time = Double(passed.seconds) + Double(passed.attoseconds) / 1e18
            return time > 0 ? max(0, seconds - last.seconds) / time : nil
        }
    }
}

/// Gauges whose values take a query or the disk, so that scrapes show the last sample.
private final class SampledGauges: Sendable {
    private let values = Locked<[String: Double]>([:])

    init(in registry: MetricsRegistry) {
        for metric in [Metric.journalBytes, .deliveriesWaiting, .diskFree] {
            registry.observe(metric) { [weak self] in self?.values.withLock { $0[metric.name] } }
        }
    }

    func set(_ metric: Metric, _ value: Double?) { values.withLock { $0[metric.name] = value } }
}

/// Takes samples regularly until the server shuts down.
private struct SamplingService: Service {
    static let interval = Duration.seconds(10)

    let sample: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await sample() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }
}

/// Exports spans, at last those of the shutdown.
private struct ExportService: Service {
    let exporter: SpanExporter

    func run() async throws {
        await cancelWhenGracefulShutdown { await exporter.run() }
        await exporter.flush()
    }
}

/// A collector that receives spans as OTLP/JSON over HTTP.
///
/// The operator configures it, so its address can be in a private network.
private struct SpanCollector: Sendable {
    struct Refusal: Error, CustomStringConvertible {
        let status: UInt
        var description: String { "The collector answered with \(status)." }
    }

    private static let timeout = TimeAmount.seconds(5)

    private let url: String

    init(_ endpoint: String) {
        let base = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        url = base.hasSuffix("/v1/traces") ? base : base + "/v1/traces"
    }

    /// Posts a batch on a connection of its own, as batches are seconds apart.
    func send(_ json: String) async throws {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(2)
        configuration.guardStatuses()
        let client = HTTPClient(configuration: configuration)
        // Not awaited: a pending connection ends with its own timeout.
        defer { Task { do { try await client.shutdown() } catch { _ = error } } }
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = ["content-type": "application/json", "user-agent": "Weir"]
        request.body = .bytes(ByteBuffer(string: json))
        let response = try await client.execute(request, deadline: .now() + Self.timeout)
        _ = try await response.body.collect(upTo: 1 << 20)
        guard (200..<300).contains(response.status.code) else { throw Refusal(status: response.status.code) }
    }
}
