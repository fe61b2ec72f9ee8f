import WeirFlows

/// A metric with its series, one per combination of labels.
final class MetricFamily: Sendable {
    struct Series: Sendable {
        /// The rendered labels, without braces.
        let labels: String
        let value: any MetricValue
    }

    private struct Core {
        var series: [Series] = []
        var index: [String: Int] = [:]
    }

    /// The maximum number of series, beyond the limits of the labels.
    private static let limit = 1_000

    let metric: Metric
    private let core = Locked(Core())

    init(_ metric: Metric) { self.metric = metric }

    var all: [Series] { core.withLock { $0.series } }

    /// The value of the series with these labels, made at its first use; nil if there are too many.
    func series(
        _ labels: [(String, String)], make: (Metric.Kind) -> any MetricValue
    ) -> (any MetricValue)? {
        let rendered = render(labels)
        return core.withLock { core in
            if let index = core.index[rendered] { return core.series[index].value }
            guard core.series.count < Self.limit else { return nil }
            let new = make(metric.kind)
            core.index[rendered] = core.series.count
            core.series.append(Series(labels: rendered, value: new))
            return new
        }
    }

    /// The labels in the order of the metric; a missing one is empty, and others are left out.
    private func render(_ labels: [(String, String)]) -> String {
        metric.labels.map { name in
            "\(name)=\"\(Self.escaped(labels.first { $0.0 == name }?.1 ?? ""))\""
        }.joined(separator: ",")
    }

    /// Escapes a value, and replaces control characters, so that no name can end a line or a label.
    static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars.prefix(200) {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            case _ where scalar.properties.generalCategory == .control: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
