package import Tracing
import WeirFlows

/// Records spans and gives them to an exporter when they end.
///
/// A span of a trace that its sender does not record is not recorded either. Without an exporter no span is recorded, and
/// the sender's trace is passed on unchanged.
package struct SpanTracer: Tracer {
    package typealias Span = RecordedSpan

    private let onEnd: (@Sendable (FinishedSpan) -> Void)?

    /// Creates a tracer; `onEnd` must return at once.
    package init(onEnd: (@Sendable (FinishedSpan) -> Void)?) { self.onEnd = onEnd }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context.traceParent
        guard let onEnd, parent?.isSampled != false else {
            return RecordedSpan(context: context, span: nil, onEnd: { _ in })
        }
        let own = TraceParent(
            traceID: parent?.traceID ?? Self.id(digits: 32), spanID: Self.id(digits: 16), isSampled: true)
        context.traceParent = own
        let span = FinishedSpan(
            name: operationName, place: own, parent: parent?.spanID, kind: kind,
            start: instant().nanosecondsSinceEpoch)
        return RecordedSpan(context: context, span: span, onEnd: onEnd)
    }

    package func forceFlush() {}

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: TraceParent.header, from: carrier) else { return }
        context.traceParent = TraceParent(text)
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let place = context.traceParent else { return }
        injector.inject("\(place)", forKey: TraceParent.header, into: &carrier)
    }

    private static func id(digits: Int) -> String {
        let words = (0..<max(digits / 16, 1)).map { _ in UInt64.random(in: 1...UInt64.max) }
        return words.map { word in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: max(16 - text.count, 0)) + text
        }.joined()
    }
}

/// A span that has ended, as an exporter needs it.
package struct FinishedSpan: Sendable {
    var name: String
    let place: TraceParent
    let parent: String?
    let kind: SpanKind
    /// In nanoseconds since 1970.
    let start: UInt64
    var end: UInt64
    var attributes: SpanAttributes = [:]
    var status: SpanStatus?

    init(name: String, place: TraceParent, parent: String?, kind: SpanKind, start: UInt64) {
        self.name = name
        self.place = place
        self.parent = parent
        self.kind = kind
        self.start = start
        end = start
    }
}

package final class RecordedSpan: Span {
    package let context: ServiceContext
    private let span: Locked<FinishedSpan?>
    private let onEnd: @Sendable (FinishedSpan) -> Void

    init(context: ServiceContext, span: FinishedSpan?, onEnd: @escaping @Sendable (FinishedSpan) -> Void) {
        self.context = context
        self.span = Locked(span)
        self.onEnd = onEnd
    }

    package var isRecording: Bool { span.withLock { $0 != nil } }

    package var operationName: String {
        get { span.withLock { $0?.name ?? "" } }
        set { span.withLock { $0?.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { span.withLock { $0?.attributes ?? [:] } }
        set { span.withLock { $0?.attributes = newValue } }
    }

    package func setStatus(_ status: SpanStatus) { span.withLock { $0?.status = status } }

    package func addEvent(_ event: SpanEvent) {}

    package func addLink(_ link: SpanLink) {}

    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}

    /// Ends the span; later calls have no effect.
    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let moment = instant().nanosecondsSinceEpoch
        let ended = span.withLock { span -> FinishedSpan? in
            defer { span = nil }
            return span
        }
        guard var ended else { return }
        ended.end = max(moment, ended.start)
        onEnd(ended)
    }
}
