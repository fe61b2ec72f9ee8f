package import CoreMetrics
import WeirFlows

/// The metrics of a server, in memory, for scrapes by Prometheus.
///
/// A `MetricsFactory` for the metrics of a table; others are discarded. Every write is one atomic instruction, and a
/// scrape takes a lock only to copy the list of a metric's series, so that neither waits for the other.
///
/// Each label has at most ``valueLimit`` values. Further values become `other`, so that names from outside cannot
/// exhaust the memory of the server or of Prometheus.
package final class MetricsRegistry: MetricsFactory {
    static let valueLimit = 100
    static let other = "other"

    let families: [MetricFamily]
    private let byName: [String: MetricFamily]
    private let values = Locked<[String: Set<String>]>([:])

    package init(_ metrics: [Metric] = Metric.all) {
        families = metrics.map(MetricFamily.init)
        byName = Dictionary(families.map { ($0.metric.name, $0) }) { first, _ in first }
    }

    /// Reads a gauge, or a counter that the system maintains, at each scrape.
    ///
    /// A series is absent while `read` returns nil. `read` must be fast and must not take a lock that requests wait for.
    package func observe(
        _ metric: Metric, _ labels: [(String, String)] = [], read: @escaping @Sendable () -> Double?
    ) {
        _ = byName[metric.name]?.series(bounded(labels)) { _ in ObservedValue(read) }
    }

    /// The value of an observed gauge without labels; nil if it has none.
    package func value(of metric: Metric) -> Double? { byName[metric.name]?.all.first?.value.current }

    private func bounded(_ labels: [(String, String)]) -> [(String, String)] {
        labels.map { name, value in
            let isKnown = values.withLock { values in
                var known = values[name] ?? []
                defer { values[name] = known }
                guard known.count < Self.valueLimit else { return known.contains(value) }
                known.insert(value)
                return true
            }
            return (name, isKnown ? value : Self.other)
        }
    }

    private func handler<Handler>(_ name: String, _ labels: [(String, String)], as: Handler.Type) -> Handler? {
        byName[name]?.series(bounded(labels)) { kind in
            switch kind {
            case .counter: CounterValue()
            case .gauge, .info: GaugeValue()
            case .histogram(let bounds): HistogramValue(bounds)
            }
        } as? Handler
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, dimensions, as: CounterValue.self) ?? NOOPMetricsHandler.instance
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { NOOPMetricsHandler.instance }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        handler(label, dimensions, as: GaugeValue.self) ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { NOOPMetricsHandler.instance }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        handler(label, dimensions, as: HistogramValue.self) ?? NOOPMetricsHandler.instance
    }

    // A series stays until the process ends, as Prometheus expects of counters.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

extension Counter {
    package convenience init(_ metric: Metric, _ labels: [(String, String)] = [], in factory: any MetricsFactory) {
        self.init(label: metric.name, dimensions: labels, factory: factory)
    }
}

extension Meter {
    package convenience init(_ metric: Metric, _ labels: [(String, String)] = [], in factory: any MetricsFactory) {
        self.init(label: metric.name, dimensions: labels, factory: factory)
    }
}

extension CoreMetrics.Timer {
    package convenience init(_ metric: Metric, _ labels: [(String, String)] = [], in factory: any MetricsFactory) {
        self.init(label: metric.name, dimensions: labels, factory: factory)
    }

    package func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        recordNanoseconds(isOver ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue)
    }

    package func record(milliseconds: Int64) { record(.milliseconds(milliseconds)) }
}
