import Tracing

/// A span's place in a trace, as in the header `traceparent` of W3C Trace Context.
package struct TraceParent: Sendable, Hashable, CustomStringConvertible {
    package static let header = "traceparent"
    package static let variable = "TRACEPARENT"

    /// 32 hexadecimal digits.
    let traceID: String
    /// 16 hexadecimal digits.
    let spanID: String
    /// Whether the sender records the trace.
    let isSampled: Bool

    init(traceID: String, spanID: String, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// Parses a header; nil for one that the standard tells to ignore.
    init?(_ text: String) {
        guard (55...512).contains(text.utf8.count) else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, Self.isHex(parts[0]), parts[0] != "ff",
            parts[0] != "00" || parts.count == 4,
            parts[1].utf8.count == 32, Self.isHex(parts[1]), parts[1].contains(where: { $0 != "0" }),
            parts[2].utf8.count == 16, Self.isHex(parts[2]), parts[2].contains(where: { $0 != "0" }),
            parts[3].utf8.count == 2, Self.isHex(parts[3]), let last = parts[3].last?.hexDigitValue
        else { return nil }
        self.init(traceID: String(parts[1]), spanID: String(parts[2]), isSampled: last & 1 == 1)
    }

    /// The place of the current task, or nil outside a trace.
    package static var current: TraceParent? { ServiceContext.current?.traceParent }

    package var description: String { "00-\(traceID)-\(spanID)-0\(isSampled ? 1 : 0)" }

    private static func isHex(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    fileprivate enum Key: ServiceContextKey {
        typealias Value = TraceParent
        static var nameOverride: String? { "traceparent" }
    }
}

extension ServiceContext {
    /// The current span, or the one of the sender of a request.
    var traceParent: TraceParent? {
        get { self[TraceParent.Key.self] }
        set { self[TraceParent.Key.self] = newValue }
    }
}
