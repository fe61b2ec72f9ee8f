import CoreMetrics
import Logging
import Synchronization
import Testing
import TestSupport
import Tracing
import WeirFlows
import WeirStates

@testable import WeirTelemetry

@Suite(.timeLimit(.minutes(15))) struct TracingTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private struct Headers: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
    }

    @Test(arguments: [
        "", "00", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "ff" + parent.dropFirst(2), parent + "-1",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-011", String(repeating: "-", count: 55),
    ])
    func `a malformed traceparent is ignored`(text: String) {
        #expect(TraceParent(text) == nil)
        #expect(TraceParent(Self.parent).map { "\($0)" } == Self.parent)
        #expect(TraceParent("01" + Self.parent.dropFirst(2) + "-later")?.isSampled == true)
    }

    @Test func `a span belongs to the trace of its sender, and a new span has a new trace`() throws {
        let ended = Locked<[FinishedSpan]>([])
        let tracer = SpanTracer { span in ended.withLock { $0.append(span) } }
        var context = ServiceContext.topLevel
        tracer.extract(["traceparent": Self.parent], into: &context, using: Headers())
        let outer = tracer.startSpan("outer", context: context)
        let inner = tracer.startSpan("inner", context: outer.context)
        let other = tracer.startSpan("other", context: .topLevel)
        for span in [inner, outer, other] {
            span.end()
            span.end()
        }
        let spans = ended.withLock { $0 }
        try #require(spans.map(\.name) == ["inner", "outer", "other"])
        #expect(spans[1].parent == "b7ad6b7169203331" && spans[0].parent == spans[1].place.spanID)
        #expect(spans[0].place.traceID == "0af7651916cd43dd8448eb211c80319c")
        #expect(spans[2].parent == nil && spans[2].place.traceID != spans[0].place.traceID)
        #expect(TraceParent("\(spans[2].place)") == spans[2].place)
        var headers: [String: String] = [:]
        tracer.inject(inner.context, into: &headers, using: Headers())
        #expect(headers["traceparent"] == "\(spans[0].place)")
    }

    @Test func `a trace that its sender does not record is passed on and not recorded, as without a collector`() {
        let ended = Locked(0)
        for (tracer, text) in [
            (SpanTracer { _ in ended.withLock { $0 += 1 } }, String(Self.parent.dropLast(2)) + "00"),
            (SpanTracer(onEnd: nil), Self.parent),
        ] {
            var context = ServiceContext.topLevel
            context.traceParent = TraceParent(text)
            let span = tracer.startSpan("a", context: context)
            #expect(!span.isRecording && span.context.traceParent.map { "\($0)" } == text)
            span.end()
        }
        #expect(ended.withLock { $0 } == 0)
    }

    @Test func `an exporter that cannot send keeps a bounded number of spans and counts the others`() async throws {
        struct Down: Error {}
        let registry = MetricsRegistry()
        let isDown = Locked(true)
        let sent = Locked<[String]>([])
        let exporter = SpanExporter(
            resource: ["service.name": "weir"], metrics: registry, clock: VirtualClock(), logger: Logger(label: "test")
        ) { text in
            if isDown.withLock({ $0 }) { throw Down() }
            sent.withLock { $0.append(text) }
        }
        let tracer = SpanTracer { exporter.add($0) }
        for _ in 0..<(SpanExporter.limit + 7) { tracer.startSpan("a", context: .topLevel).end() }
        #expect(registry.text(.prometheus).contains("\nweir_spans_dropped_total 7\n"))
        // A batch that cannot be sent is lost, and the next one waits.
        await exporter.flush()
        #expect(registry.text(.prometheus).contains("\nweir_spans_dropped_total \(7 + SpanExporter.batchLimit)\n"))
        isDown.withLock { $0 = false }
        await exporter.flush()
        #expect(sent.withLock { $0.count } == SpanExporter.limit / SpanExporter.batchLimit - 1)
    }

    @Test func `a span is exported as OTLP prescribes`() throws {
        var span = FinishedSpan(
            name: "run deploy", place: try #require(TraceParent(Self.parent)), parent: "00f067aa0ba902b7",
            kind: .server, start: 1_800_000_000_000_000_001)
        span.end = 1_800_000_000_000_000_002
        span.attributes["weir.run"] = "01abc"
        span.attributes["http.response.status_code"] = Int64(503)
        span.status = SpanStatus(code: .error)
        let json = try JSONValue(parsing: OTLP.text(of: [span], resource: ["service.name": "weir"]))
        let group = json["resourceSpans"]?.array?.first
        #expect(
            group?["resource"]?["attributes"] == [["key": "service.name", "value": ["stringValue": "weir"]]])
        let found = try #require(group?["scopeSpans"]?.array?.first?["spans"]?.array?.first)
        #expect(found["traceId"] == "0af7651916cd43dd8448eb211c80319c" && found["spanId"] == "b7ad6b7169203331")
        #expect(found["parentSpanId"] == "00f067aa0ba902b7" && found["kind"] == 2 && found["status"] == ["code": 2])
        #expect(
            found["startTimeUnixNano"] == "1800000000000000001" && found["endTimeUnixNano"] == "1800000000000000002")
        let attributes = found["attributes"]?.array ?? []
        #expect(attributes.contains(["key": "weir.run", "value": ["stringValue": "01abc"]]))
        #expect(attributes.contains(["key": "http.response.status_code", "value": ["intValue": "503"]]))
    }
}
