import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

extension Board {
    /// Ends all runs, records the remaining changes, and refuses new runs.
    ///
    /// Active runs end as interrupted, queued ones and those in a pause between attempts wait for the next process.
    /// Returns once everything is recorded and all work has returned, or when the drain timeout expires. The journal
    /// stays open; its owner closes it afterwards.
    public func shutdown() async {
        membership?.stop()
        reported.stop()
        scope.cancel()
        worker?.parts.stop()
        liveStores.close()
        await interruptRuns { [sender] in
            await sender?.close()
        } atEnd: { [receiver] in
            await receiver.resolved?.close()
        }
        receiver.resolved?.stop()
        sender?.stop()
        assigner?.stop()
        recorder.stop()
        liveStores.removeAll()
        outputs.stop()
    }

    /// Refuses new runs, and waits until the active ones have ended, at most for a time.
    ///
    /// Schedules start nothing, steps are not followed by others, and runs that are queued or in a pause are left to the
    /// next process. Returns early if the calling task is cancelled.
    package func finishRuns(within grace: Duration) async {
        let active = closeStarts().filter { !$0.isKept && $0.request.host == nil && !$0.request.isWatched && $0.isHere }
        guard grace > .zero, !active.isEmpty else { return }
        let done = Deferred<Bool>()
        let waiting = Task {
            for run in active { _ = await run.ended.value() }
            done.resolve(true)
        }
        _ = await done.value(within: grace, clock: clock)
        waiting.cancel()
    }

    /// Refuses new runs, and interrupts the active ones.
    ///
    /// Returns once that is recorded and their work has returned, or when the drain timeout expires.
    package func interruptRuns() async {
        await interruptRuns {
        } atEnd: {
        }
    }

    private func interruptRuns(
        atStart: @escaping @Sendable () async -> Void, atEnd: @escaping @Sendable () async -> Void
    ) async {
        let runs = closeStarts()
        watching.stop()
        for run in runs where run.request.host == nil { run.shutDown() }
        // Last, so that their steps end because of the shutdown, and not because of their parent run.
        for run in runs where run.request.host != nil { run.shutDown() }
        let done = Deferred<Bool>()
        Task { [recorder] in
            await atStart()
            await recorder.flush()
            for run in runs { _ = await run.outcome() }
            await recorder.flush(withEnds: true)
            await atEnd()
            done.resolve(true)
        }
        // After a first call, nothing is left that ends in time, and a replaced server can record no end: `weir-exec` kills
        // the programs that are left when this process exits.
        let limit = drainTimeout.withLock { limit in
            let rest = min(limit, .milliseconds(700))
            defer { limit = rest }
            return role.value == .replaced ? rest : limit
        }
        if await done.value(within: limit, clock: clock) == nil {
            let left = recorder.backlog
            logger.warning("Some runs had not ended or could not be recorded in time.", metadata: ["left": "\(left)"])
        }
    }

    /// Refuses new runs, and leaves those that have nothing to interrupt to the next process; returns the active runs.
    private func closeStarts() -> [LiveRun] {
        scheduler.stop()
        let runs = runs.close()
        // Runs of steps stop recording before anything ends, so that the journal keeps their unfinished state.
        for run in runs { run.leave() }
        for run in runs { leaveQueued(run) }
        return runs
    }

    private func leaveQueued(_ run: LiveRun) {
        let isQueued = run.hold()
        guard role.value == .recording, run.mayBeKept else { return }
        if let cause = lostPart(of: run) {
            run.shutdownCause.withLock { $0 = CancellationCause(cause) }
            if isQueued { run.shutDown() }
        } else if isQueued {
            run.keep()
        } else {
            _ = run.pause()
        }
    }

    /// The part of a start that is not recorded, so that the next process cannot perform the run.
    private func lostPart(of run: LiveRun) -> EndCause? {
        let input = run.request.opening.input
        for field in catalog[run.operation]?.fields ?? [] {
            if field.isSecret, field.kept == nil, run.request.secrets[field.name] != nil { return .shutdownWithSecrets }
            if field.kind == .file, input[field.name]?.object != nil { return .shutdownWithFile }
        }
        return nil
    }

    /// Continues the runs that the last process left queued or in a pause, oldest first.
    func resumeKept(_ records: [RunRecord]) {
        for record in records.sorted(by: { $0.openedSequence < $1.openedSequence }) {
            do {
                let elapsed = record.state.phase == .idle ? 0 : max(now() - record.startedAt, 0)
                try launcher.resume(record, elapsed: .milliseconds(elapsed))
            } catch {
                interrupt(record, .other("the server was stopped, and this could not wait for its start: \(error)"))
            }
        }
    }

    /// Ends the run of an earlier process.
    func interrupt(_ record: RunRecord, _ cause: EndCause) {
        recorder.resume(.run(record.id), subject: record.operation, record.state, revision: record.revision)
        let end = ChangeDraft.interruption(of: record, at: now(), cause: cause)
        recorder.offer(.run(record.id), end.state, cause: end.cause)
    }
}
