import WeirFlows
import WeirJournals
import WeirStates

/// The runs that programs elsewhere report: takes what they send, and ends those of which nothing is heard any more.
final class ReportedRuns: Sendable {
    private struct Core {
        var leases: ReportLeases
        var isWatching = false
    }

    private let recorder: ReportRecorder
    private let lease: Duration
    private let longestLease: Duration
    private let clock: any Clock<Duration>
    private let core: Locked<Core>
    private let scope = FlowScope(executor: nil)

    init(recorder: ReportRecorder, configuration: Board.Configuration, operations: Int, clock: any Clock<Duration>) {
        self.recorder = recorder
        self.clock = clock
        lease = max(configuration.reportLease, .milliseconds(10))
        longestLease = configuration.maximumReportLease
        let total = configuration.maximumReportedRuns
        let limits = RunLimits(total: total, perOperation: total, perActor: max(1, total / 2))
        core = Locked(Core(leases: ReportLeases(limits, operations: operations)))
    }

    /// Divides the places among another number of operations.
    func resize(operations: Int) { core.withLock { $0.leases.resize(operations: operations) } }

    /// How many are open.
    var count: Int { core.withLock { $0.leases.count } }

    /// How many reports are not answered yet.
    var waiting: Int { recorder.waiting }

    /// Whether a run is open.
    func contains(_ run: String) -> Bool { core.withLock { $0.leases.contains(run) } }

    /// Takes up runs that were open when the last process stopped; their reporters have a whole lease to come back.
    func resume(_ runs: [RunRecord]) {
        guard !runs.isEmpty else { return }
        core.withLock { core in
            for run in runs {
                core.leases.resume(run.id, .init(operation: run.operation, actor: run.opening.actor))
            }
        }
        watch()
    }

    /// Takes a report, and returns once what became of it is recorded.
    func take(_ report: Report) async throws(BoardError) -> ReportReceipt {
        guard let opening = report.opening else { return settled(report, try await recorder.take(report)) }
        let claim = RunAdmission.Claim(operation: report.operation, actor: opening.actor)
        let (isKnown, refusal) = core.withLock { core in
            (core.leases.contains(report.run), core.leases.open(report.run, claim))
        }
        if let refusal { throw BoardError(refusal, of: claim) }
        watch()
        let receipt: ReportReceipt
        do {
            receipt = try await recorder.take(report)
        } catch {
            if !isKnown { core.withLock { $0.leases.close(report.run) } }
            throw error
        }
        // The place was taken for a run that is not to be opened.
        let isOpen = [.taken, .known].contains(receipt.outcome) && !receipt.isEnded
        if !isOpen, !isKnown { core.withLock { $0.leases.close(report.run) } }
        return settled(report, receipt)
    }

    /// Ends what waits: nothing is ended any more for want of a sign of life.
    func stop() { scope.cancel() }

    private func settled(_ report: Report, _ receipt: ReportReceipt) -> ReportReceipt {
        core.withLock { core in
            switch receipt.outcome {
            case .taken, .known, .gap:
                if receipt.isEnded {
                    core.leases.close(report.run)
                } else {
                    core.leases.renew(report.run, length: beats(of: report.lease))
                }
            case .ended: core.leases.close(report.run)
            case .unknownRun, .removedRun, .conflict, .fenced, .badBeginning, .tooManyProducers: break
            }
        }
        return receipt
    }

    /// How many beats a lease lasts that a reporter asks for.
    private func beats(of asked: Duration?) -> Int? {
        asked.flatMap { Int(exactly: (min($0, longestLease) / lease * Double(ReportLeases.length)).rounded(.up)) }
    }

    // MARK: Silence

    private func watch() {
        let begins = core.withLock { core in
            defer { core.isWatching = true }
            return !core.isWatching
        }
        if begins { scope.launch { try await self.endSilent() } }
    }

    /// Ends the runs of which nothing is heard, as long as there are any open.
    private func endSilent() async throws {
        while core.withLock({ core in
            core.isWatching = core.leases.count > 0
            return core.isWatching
        }) {
            try await clock.sleep(for: lease / ReportLeases.length)
            for (run, operation) in core.withLock({ $0.leases.beat() }) {
                let end = Report(run: run, operation: operation, reporter: nil, ending: .interrupted(.silent))
                do {
                    _ = settled(end, try await recorder.take(end))
                } catch {
                    continue  // Tried again with the next beat.
                }
            }
        }
    }
}
