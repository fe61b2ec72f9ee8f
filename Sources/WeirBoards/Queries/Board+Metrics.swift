import WeirFlows
import WeirJournals
package import WeirTelemetry

extension Board {
    /// Adds the gauges of this board, which scrapes read without waiting.
    package func observe(in registry: MetricsRegistry) {
        registry.observe(.activeRuns) { [queue = monitor.queue] in Double(queue.active) }
        registry.observe(.queuedRuns) { [queue = monitor.queue] in Double(queue.queued) }
        registry.observe(.oldestQueued) { [queue = monitor.queue, now] in
            queue.oldest.map { Double(max(now() - $0, 0)) / 1_000 } ?? 0
        }
        registry.observe(.recording) { [recorder] in recorder.status.value == .recording ? 1 : 0 }
    }
}
