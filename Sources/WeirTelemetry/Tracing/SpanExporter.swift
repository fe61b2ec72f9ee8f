package import CoreMetrics
package import Logging
import Tracing
import WeirFlows
import WeirStates

/// Sends ended spans to a collector in the background, in batches.
///
/// ``add(_:)`` never waits. While the collector is slow or unreachable, up to ``limit`` spans wait; further ones are dropped
/// and counted, so that a collector can neither delay work nor exhaust memory.
package final class SpanExporter: Sendable {
    private struct Core {
        var waiting: [FinishedSpan] = []
        var isFailing = false
    }

    static let limit = 8_192
    static let batchLimit = 512
    static let interval = Duration.seconds(2)
    private static let attempts = 3

    private let core = Locked(Core())
    private let resource: [String: String]
    private let dropped: Counter
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let send: @Sendable (String) async throws -> Void

    /// Creates an exporter, which sends nothing before ``run()``.
    ///
    /// `resource` describes this server. `send` posts a batch as OTLP/JSON, within a time limit.
    package init(
        resource: [String: String], metrics: any MetricsFactory, clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger, send: @escaping @Sendable (String) async throws -> Void
    ) {
        self.resource = resource
        self.clock = clock
        self.logger = logger
        self.send = send
        dropped = Counter(.spansDropped, in: metrics)
    }

    package func add(_ span: FinishedSpan) {
        let isKept = core.withLock { core in
            guard core.waiting.count < Self.limit else { return false }
            core.waiting.append(span)
            return true
        }
        if !isKept { dropped.increment() }
    }

    /// Sends spans until the task is cancelled.
    package func run() async {
        while (try? await clock.sleep(for: Self.interval)) != nil {
            while let batch = next(), await sent(batch, attempts: Self.attempts) {}
        }
    }

    /// Sends the spans that wait, each batch once.
    package func flush() async {
        while let batch = next(), await sent(batch, attempts: 1) {}
    }

    private func next() -> [FinishedSpan]? {
        core.withLock { core in
            let batch = Array(core.waiting.prefix(Self.batchLimit))
            core.waiting.removeFirst(batch.count)
            return batch.isEmpty ? nil : batch
        }
    }

    private func sent(_ batch: [FinishedSpan], attempts: Int) async -> Bool {
        let text = OTLP.text(of: batch, resource: resource)
        for attempt in 1...max(attempts, 1) {
            do {
                try await send(text)
                if core.withLock({ core in
                    defer { core.isFailing = false }
                    return core.isFailing
                }) {
                    logger.notice("Spans are exported again.")
                }
                return true
            } catch {
                note(error)
                guard attempt < attempts, (try? await clock.sleep(for: .seconds(attempt))) != nil else { break }
            }
        }
        dropped.increment(by: batch.count)
        return false
    }

    private func note(_ error: any Error) {
        let isNews = core.withLock { core in
            defer { core.isFailing = true }
            return !core.isFailing
        }
        guard isNews else { return }
        logger.warning(
            "Spans cannot be exported; work is not affected. Check `tracing.endpoint` and the collector.",
            metadata: ["cause": "\(Quoted(error))"])
    }
}

/// Spans in the JSON encoding of the OpenTelemetry protocol.
enum OTLP {
    static func text(of spans: [FinishedSpan], resource: [String: String]) -> String {
        let value: JSONValue = [
            "resourceSpans": [
                [
                    "resource": [
                        "attributes": .array(
                            resource.sorted { $0.key < $1.key }.map {
                                attribute($0.key, ["stringValue": .string($0.value)])
                            })
                    ],
                    "scopeSpans": [["scope": ["name": "weir"], "spans": .array(spans.map(json))]],
                ]
            ]
        ]
        return (try? value.text()) ?? "{}"
    }

    private static func json(_ span: FinishedSpan) -> JSONValue {
        var attributes: [JSONValue] = []
        span.attributes.forEach { name, value in
            switch value {
            case .int64(let number): attributes.append(attribute(name, ["intValue": .string(String(number))]))
            case .int32(let number): attributes.append(attribute(name, ["intValue": .string(String(number))]))
            case .bool(let flag): attributes.append(attribute(name, ["boolValue": .bool(flag)]))
            case .double(let number) where number.isFinite:
                attributes.append(attribute(name, ["doubleValue": .number(number)]))
            case .string(let text): attributes.append(attribute(name, ["stringValue": .string(text)]))
            default: break
            }
        }
        var members: [String: JSONValue] = [
            "traceId": .string(span.place.traceID), "spanId": .string(span.place.spanID), "name": .string(span.name),
            "kind": .integer(kind(span.kind)), "startTimeUnixNano": .string(String(span.start)),
            "endTimeUnixNano": .string(String(span.end)), "attributes": .array(attributes),
        ]
        members["parentSpanId"] = span.parent.map(JSONValue.string)
        if let status = span.status {
            members["status"] = ["code": .integer(status.code == .error ? 2 : 1)]
        }
        return .object(members)
    }

    private static func attribute(_ name: String, _ value: JSONValue) -> JSONValue {
        ["key": .string(name), "value": value]
    }

    private static func kind(_ kind: SpanKind) -> Int64 {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
