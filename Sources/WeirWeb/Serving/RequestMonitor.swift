import CoreMetrics
import HTTPTypes
import Hummingbird
import Tracing
import WeirFlows
import WeirTelemetry

/// Measures requests: their metrics, their spans, and the ids by which their log lines can be found.
final class RequestMonitor: Sendable {
    private struct Key: Hashable {
        let kind: RouteKind
        let status: Int
    }

    private let metrics: any MetricsFactory
    private let tracer: any Tracer
    private let durations: [RouteKind: CoreMetrics.Timer]
    private let counters = Locked<[Key: Counter]>([:])

    init(_ telemetry: Telemetry) {
        metrics = telemetry.metrics
        tracer = telemetry.tracer
        durations = Dictionary(
            RouteKind.allCases.map { kind in
                (kind, CoreMetrics.Timer(.requestDuration, [("kind", kind.rawValue)], in: telemetry.metrics))
            }
        ) { first, _ in first }
    }

    func count(_ kind: RouteKind, _ status: HTTPResponse.Status) {
        let key = Key(kind: kind, status: (100...599).contains(status.code) ? status.code : 0)
        let known = counters.withLock { $0[key] }
        let counter =
            known ?? Counter(.requests, [("kind", kind.rawValue), ("status", String(key.status))], in: metrics)
        if known == nil { counters.withLock { $0[key] = counter } }
        counter.increment()
    }

    /// Answers a request in its context: its id, and the trace of its sender.
    ///
    /// The id is the one of `X-Request-ID` if a client or a proxy gave a usable one, else `ownID`, and the answer contains
    /// it. Shared answers do not, so that they are the same bytes for every client.
    func answer(
        _ request: Request, ownID: String, path: String, _ body: () async throws -> Response
    ) async throws -> Response {
        let kind = RouteKind(path)
        let ids = request.headers[values: .requestID]
        let id = ids.count == 1 ? RequestID.accepted(ids[0]) ?? ownID : ownID
        var context = ServiceContext.current ?? .topLevel
        context.log.request = id
        tracer.extract(request.headers, into: &context, using: HeaderExtractor())
        let span =
            kind.isTraced
            ? tracer.startAnySpan(
                "\(request.method.rawValue.prefix(20)) \(kind.rawValue)", context: context, ofKind: .server)
            : nil
        let clock = ContinuousClock()
        let start = clock.now
        defer { span?.end() }
        var response = try await ServiceContext.$current.withValue(span?.context ?? context) { try await body() }
        durations[kind]?.record(start.duration(to: clock.now))
        count(kind, response.status)
        if let span, span.isRecording {
            span.attributes["http.request.method"] = String(request.method.rawValue.prefix(20))
            span.attributes["http.response.status_code"] = Int64(response.status.code)
            span.attributes["weir.request"] = id
            if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
        }
        if !kind.isShared { response.headers[.requestID] = id }
        return response
    }
}

/// A kind of route, as a label of metrics and the name of spans.
enum RouteKind: String, CaseIterable, Sendable {
    case page, api, poll, stream, asset, hook, account, health, metrics

    /// The kind of a path below the mount path.
    init(_ path: String) {
        let segments = path.prefix { $0 != "?" }.split(separator: "/").prefix(3)
        switch segments.first {
        case "api": self = segments.last == "streams" ? .stream : .api
        case "mcp": self = .api
        case "live": self = .poll
        case "assets": self = .asset
        case "hooks": self = .hook
        case "health": self = .health
        case "metrics": self = .metrics
        case "sign-in", "sign-out", "setup", "account", "users", "tokens", "audit", "links", "sessions",
            "password":
            self = .account
        default: self = .page
        }
    }

    /// Whether many clients receive the same answer, also through caches.
    var isShared: Bool { [.poll, .stream, .asset].contains(self) }

    /// Whether requests have spans: those of machines at short intervals would hide the others.
    var isTraced: Bool { [.page, .api, .hook, .account].contains(self) }
}

private struct HeaderExtractor: Extractor {
    func extract(key: String, from carrier: HTTPFields) -> String? {
        guard let name = HTTPField.Name(key) else { return nil }
        let values = carrier[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
