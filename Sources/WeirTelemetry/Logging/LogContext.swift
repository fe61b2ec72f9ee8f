package import Logging
package import Tracing

/// The context of a piece of work, which its log lines and spans contain: a request, and a run of an operation.
package struct LogContext: Sendable, Hashable {
    /// The id of the request that caused the work.
    package var request: String?
    package var run: String?
    package var operation: String?

    /// Adds the context of the current task, and its trace, to all lines.
    package static var provider: Logger.MetadataProvider {
        Logger.MetadataProvider { ServiceContext.current?.metadata ?? [:] }
    }

    fileprivate enum Key: ServiceContextKey {
        typealias Value = LogContext
        static var nameOverride: String? { "weir.log" }
    }
}

extension ServiceContext {
    package var log: LogContext {
        get { self[LogContext.Key.self] ?? LogContext() }
        set { self[LogContext.Key.self] = newValue }
    }

    package var metadata: Logger.Metadata {
        var metadata = Logger.Metadata()
        metadata["request"] = log.request.map { "\($0)" }
        metadata["run"] = log.run.map { "\($0)" }
        metadata["operation"] = log.operation.map { "\($0)" }
        metadata["trace"] = traceParent.map { "\($0.traceID)" }
        return metadata
    }
}

/// The id of a request, by which its log lines, its audit entries and its answer can be found.
package enum RequestID {
    /// The id that a client or a proxy gave, if it is safe to repeat: 1 to 128 letters, digits and `-_.:`.
    package static func accepted(_ text: String) -> String? {
        guard (1...128).contains(text.utf8.count) else { return nil }
        return text.utf8.allSatisfy(isAllowed) ? text : nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
