/// A text format of metrics.
package enum Exposition: Sendable, CaseIterable {
    /// The text format of Prometheus, version 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.0.
    case openMetrics

    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The format that a request prefers by its `Accept` field; Prometheus' own without one.
    package init(accept: String?) {
        var (openMetrics, text) = (0.0, 0.0)
        for range in (accept ?? "").prefix(4_096).split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.trimming() }
            let parameter = parts.dropFirst().first { $0.hasPrefix("q=") }
            let quality = parameter.flatMap { Double($0.dropFirst(2)) } ?? 1
            switch parts.first {
            case "application/openmetrics-text": openMetrics = max(openMetrics, quality)
            case "text/plain", "text/*", "*/*": text = max(text, quality)
            default: break
            }
        }
        self = openMetrics > 0 && openMetrics >= text ? .openMetrics : .prometheus
    }
}

extension Substring {
    fileprivate func trimming() -> String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let start = drop(while: isSpace)
        return String(start.prefix((start.lastIndex { !isSpace($0) }).map { start[...$0].count } ?? 0)).lowercased()
    }
}

extension MetricsRegistry {
    package func text(_ format: Exposition) -> String {
        var text = ""
        text.reserveCapacity(64 * 1_024)
        for family in families {
            let series = family.all
            guard !series.isEmpty else { continue }
            let (metric, name) = (family.metric, family.metric.name)
            let title = Self.title(of: metric, in: format)
            text += "# HELP \(title) \(metric.help)\n"
            text += "# TYPE \(title) \(Self.type(of: metric, in: format))\n"
            if case .openMetrics = format, let unit = metric.unit { text += "# UNIT \(title) \(unit)\n" }
            for one in series { one.value.write(name, one.labels, to: &text) }
        }
        if case .openMetrics = format { text += "# EOF\n" }
        return text
    }

    /// The name of the family: in OpenMetrics without the suffix of its samples.
    private static func title(of metric: Metric, in format: Exposition) -> String {
        guard case .openMetrics = format else { return metric.name }
        switch metric.kind {
        case .counter where metric.name.hasSuffix("_total"): return String(metric.name.dropLast(6))
        case .info where metric.name.hasSuffix("_info"): return String(metric.name.dropLast(5))
        default: return metric.name
        }
    }

    private static func type(of metric: Metric, in format: Exposition) -> String {
        if case .info = metric.kind, case .prometheus = format { return "gauge" }
        return metric.kind.name
    }
}
