import Logging
import Tracing
import WeirFlows
import WeirJournals
import WeirStates
import WeirTelemetry

/// Follows one run that this server executes, from its start over its queue and its work to its end.
///
/// The spans of a trace: `run` from the start to the end state, and in it `queue` until the work begins and `program`
/// until the work has returned. The work runs in the context of `program`, so that its programs, its requests and its
/// log lines belong to the trace of the request that started it.
final class RunWatch: Sendable {
    private struct Progress {
        var begun: Timestamp?
        var hasEnded = false
        var queue: (any Span)?
    }

    private let id: String
    private let monitor: RunMonitor
    private let meters: RunMeters
    private let started: Timestamp
    private let isResumed: Bool
    private let run: any Span
    private let progress = Locked(Progress())

    /// Begins to follow a run; the current context becomes the parent of its span.
    init(_ id: String, of operation: String, isResumed: Bool, _ monitor: RunMonitor) {
        self.id = id
        self.monitor = monitor
        self.isResumed = isResumed
        meters = monitor.meters(of: operation)
        started = monitor.now()
        var context = ServiceContext.current ?? .topLevel
        context.log.run = id
        context.log.operation = operation
        run = monitor.tracer.startAnySpan("run \(operation)", context: context, ofKind: .internal)
        if run.isRecording {
            run.attributes["weir.run"] = id
            run.attributes["weir.operation"] = operation
        }
        monitor.queue.start(id, at: started)
        let queue = monitor.tracer.startAnySpan("queue", context: run.context, ofKind: .internal)
        progress.withLock { $0.queue = queue }
    }

    /// Runs the work in the run's context.
    func carryOut(_ work: @Sendable () async -> Void) async {
        begin()
        let program = monitor.tracer.startAnySpan("program", context: run.context, ofKind: .internal)
        await ServiceContext.$current.withValue(program.context) { await work() }
        program.end()
    }

    private func begin() {
        let moment = monitor.now()
        let queue = progress.withLock { progress -> (any Span)? in
            // A run that was cancelled while it waited has ended already.
            if !progress.hasEnded {
                progress.begun = moment
                monitor.queue.begin(id)
            }
            return progress.queue.take()
        }
        queue?.end()
        if !isResumed { meters.wait.record(milliseconds: max(moment - started, 0)) }
    }

    /// Notes that the run has reached its end state; `cause` is the error that ended it, without secrets.
    func end(_ phase: Phase, cause: String?) {
        let moment = monitor.now()
        let (begun, queue) = progress.withLock { progress -> (Timestamp?, (any Span)?) in
            if progress.begun == nil { monitor.queue.remove(id) } else { monitor.queue.end() }
            progress.hasEnded = true
            return (progress.begun, progress.queue.take())
        }
        queue?.end()
        // The begin of a resumed run is in another process.
        if let begun, !isResumed { meters.duration.record(milliseconds: max(moment - begun, 0)) }
        if run.isRecording {
            run.attributes["weir.outcome"] = phase.rawValue
            if phase == .failed { run.setStatus(SpanStatus(code: .error)) }
        }
        run.end()
        guard phase == .failed else { return }
        var metadata = run.context.metadata
        metadata["cause"] = cause.map { "\(Quoted($0))" }
        monitor.logger.notice("A run failed.", metadata: metadata)
    }
}
