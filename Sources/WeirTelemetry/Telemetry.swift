package import CoreMetrics
package import Tracing

/// The destinations of metrics and spans.
package struct Telemetry: Sendable {
    package let metrics: any MetricsFactory
    package let tracer: any Tracer

    package init(metrics: any MetricsFactory, tracer: any Tracer) {
        self.metrics = metrics
        self.tracer = tracer
    }

    /// The systems that an app has bootstrapped for swift-metrics and swift-distributed-tracing, if any.
    package static var ofApp: Telemetry {
        Telemetry(metrics: MetricsSystem.factory, tracer: InstrumentationSystem.tracer)
    }
}
