import Foundation
import Testing
import Tracing
import WeirBoards
import WeirFlows
@testable import WeirTelemetry

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15))) struct MetricsTests {
    private func configuration(_ registry: MetricsRegistry) -> WebConfiguration {
        var configuration = WebConfiguration()
        configuration.metrics = registry
        configuration.telemetry = Telemetry(metrics: registry, tracer: SpanTracer(onEnd: nil))
        return configuration
    }

    @Test func `metrics are in the format that is asked for, and count requests by kind and status`() async throws {
        let registry = MetricsRegistry()
        try await TestServer.run(configuration: configuration(registry)) { server in
            server.dashboard.observe(in: registry)
            for path in ["/", "/", "/nowhere", "/api/v1/operations", "/assets/none"] {
                _ = try await server.ask("GET", path)
            }
            let answer = try await server.ask("GET", "/metrics")
            #expect(answer.status == 200 && answer["content-type"] == Exposition.prometheus.contentType)
            #expect(answer["cache-control"] == "no-store")
            let lines = answer.text.split(separator: "\n")
            #expect(lines.contains(#"weir_http_requests_total{kind="page",status="200"} 2"#))
            #expect(lines.contains(#"weir_http_requests_total{kind="page",status="404"} 1"#))
            #expect(lines.contains(#"weir_http_requests_total{kind="api",status="200"} 1"#))
            #expect(lines.contains(#"weir_http_requests_total{kind="asset",status="404"} 1"#))
            #expect(lines.contains(#"weir_http_request_duration_seconds_count{kind="page"} 3"#))
            #expect(lines.contains("weir_polls_held 0"))
            let open = try await server.ask("GET", "/metrics", headers: ["Accept: application/openmetrics-text"])
            #expect(open["content-type"] == Exposition.openMetrics.contentType && open.text.hasSuffix("\n# EOF\n"))
        }
    }

    @Test func `a dashboard without metrics has no page for them`() async throws {
        try await TestServer.run { server in
            let answer = try await server.ask("GET", "/metrics")
            #expect(answer.status == 404)
        }
    }

    @Test func `an answer contains the id of its request, a usable one from the client`() async throws {
        try await TestServer.run { server in
            let ask = { @Sendable (headers: [String]) in try await server.ask("GET", "/runs", headers: headers) }
            let given = try await ask(["X-Request-ID: abc-1.2"])
            #expect(given["x-request-id"] == "abc-1.2")
            let own = try await ask([])["x-request-id"]
            #expect(own?.isEmpty == false)
            for unusable in [["X-Request-ID: a b"], ["X-Request-ID: a", "X-Request-ID: b"]] {
                let id = try await ask(unusable)["x-request-id"]
                #expect(![nil, "", "a b", "a", "b", "a,b", "a, b"].contains(id), "\(unusable)")
            }
            // Caches give the same bytes to many clients.
            let shared = try await server.ask("GET", "/assets/none")
            #expect(shared["x-request-id"] == nil)
        }
    }

    @Test func `the span of a request belongs to the trace of its sender`() async throws {
        let ended = Locked<[FinishedSpan]>([])
        let registry = MetricsRegistry()
        var configuration = configuration(registry)
        configuration.telemetry = Telemetry(
            metrics: registry, tracer: SpanTracer { span in ended.withLock { $0.append(span) } })
        try await TestServer.run(configuration: configuration) { server in
            let trace = "0af7651916cd43dd8448eb211c80319c"
            _ = try await server.ask(
                "POST", "/api/v1/operations/steps/runs",
                headers: ["Content-Type: application/json", "traceparent: 00-\(trace)-b7ad6b7169203331-01"],
                body: #"{"label": "a"}"#)
            let span = try #require(ended.withLock { $0.first })
            #expect(span.name == "POST api" && span.place.traceID == trace && span.parent == "b7ad6b7169203331")
        }
    }
}
