import CoreMetrics
import Logging
import Synchronization
import Tracing
import WeirFlows
import WeirJournals
import WeirStates
import WeirTelemetry

/// Measures runs: their metrics, their spans, and a line of the log for each that failed.
final class RunMonitor: Sendable {
    /// The counts for scrapes, which read them without a lock.
    let queue = RunQueue()
    let tracer: any Tracer
    let logger: Logger
    let now: @Sendable () -> Timestamp
    private let metrics: any MetricsFactory
    private let meters = Locked<[String: RunMeters]>([:])

    init(_ telemetry: Telemetry, now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        metrics = telemetry.metrics
        tracer = telemetry.tracer
        self.now = now
        self.logger = logger
    }

    /// The meters of an operation, which a catalog makes before the first run, so that its counters begin at 0.
    func meters(of operation: String) -> RunMeters {
        if let known = meters.withLock({ $0[operation] }) { return known }
        let made = RunMeters(operation, in: metrics)
        return meters.withLock { meters in
            // The operations of reporters are unlimited, but the registry's values are not.
            if meters.count < 10_000 { meters[operation] = meters[operation] ?? made }
            return meters[operation] ?? made
        }
    }

    /// Counts the ends of runs among changes that this server recorded.
    func recorded(_ changes: [Change]) {
        for change in changes where change.state.phase.isEnded {
            guard case .run = change.stream else { continue }
            meters(of: change.subject).ended(change.state.phase)
        }
    }
}

/// The metrics of an operation's runs.
final class RunMeters: Sendable {
    let wait: CoreMetrics.Timer
    let duration: CoreMetrics.Timer
    private let outcomes: [Phase: Counter]
    private let failures: Meter
    private let failuresInARow = Atomic<Int64>(0)

    init(_ operation: String, in metrics: any MetricsFactory) {
        let label = [("operation", operation)]
        wait = CoreMetrics.Timer(.runWait, label, in: metrics)
        duration = CoreMetrics.Timer(.runDuration, label, in: metrics)
        failures = Meter(.failuresInARow, label, in: metrics)
        outcomes = Dictionary(
            Phase.allCases.filter(\.isEnded).map { phase in
                (phase, Counter(.runs, label + [("outcome", phase.rawValue)], in: metrics))
            }
        ) { first, _ in first }
    }

    func ended(_ phase: Phase) {
        outcomes[phase]?.increment()
        switch phase {
        case .failed: failures.set(failuresInARow.wrappingAdd(1, ordering: .relaxed).newValue)
        case .succeeded:
            failuresInARow.store(0, ordering: .relaxed)
            failures.set(0)
        default: break
        }
    }
}

/// The numbers of queued and active runs, and the start of the one that has waited longest.
final class RunQueue: Sendable {
    private let waiting = Locked<[(run: String, since: Timestamp)]>([])
    private let queuedCount = Atomic<Int>(0)
    private let activeCount = Atomic<Int>(0)
    private let oldestStart = Atomic<Int64>(Int64.max)

    var queued: Int { queuedCount.load(ordering: .relaxed) }
    var active: Int { activeCount.load(ordering: .relaxed) }

    /// When the run that has waited longest was started, or nil if none waits.
    var oldest: Timestamp? {
        let milliseconds = oldestStart.load(ordering: .relaxed)
        return milliseconds == .max ? nil : Timestamp(milliseconds: milliseconds)
    }

    func start(_ run: String, at moment: Timestamp) { change { $0.append((run, moment)) } }

    func begin(_ run: String) {
        remove(run)
        activeCount.add(1, ordering: .relaxed)
    }

    /// Removes a run that ended without having begun.
    func remove(_ run: String) {
        change { waiting in
            if let index = waiting.firstIndex(where: { $0.run == run }) { waiting.remove(at: index) }
        }
    }

    func end() { activeCount.subtract(1, ordering: .relaxed) }

    private func change(_ body: (inout [(run: String, since: Timestamp)]) -> Void) {
        waiting.withLock { waiting in
            body(&waiting)
            queuedCount.store(waiting.count, ordering: .relaxed)
            oldestStart.store(waiting.first?.since.milliseconds ?? .max, ordering: .relaxed)
        }
    }
}
