import WeirFlows
import WeirJournals
import WeirStates

/// The open reported runs: records their reports, and ends runs whose lease expires.
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

    func resize(operations: Int) { core.withLock { $0.leases.resize(operations: operations) } }

    var count: Int { core.withLock { $0.leases.count } }

    var waiting: Int { recorder.waiting }

    func contains(_ run: String) -> Bool { core.withLock { $0.leases.contains(run) } }

    /// Resumes runs that were open when the previous process stopped, with a full lease.
    func resume(_ runs: [RunRecord]) {
        guard !runs.isEmpty else { return }
        core.withLock { core in
            for run in runs {
                core.leases.resume(run.id, .init(operation: run.operation, actor: run.opening.actor))
            }
        }
        watch()
    }

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
        // Releases the place of a run that was not opened.
        let isOpen = [.taken, .known].contains(receipt.outcome) && !receipt.isEnded
        if !isOpen, !isKnown { core.withLock { $0.leases.close(report.run) } }
        return settled(report, receipt)
    }

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

    private func beats(of asked: Duration?) -> Int? {
        asked.flatMap { Int(exactly: (min($0, longestLease) / lease * Double(ReportLeases.length)).rounded(.up)) }
    }

    // MARK: Expiration

    private func watch() {
        let begins = core.withLock { core in
            defer { core.isWatching = true }
            return !core.isWatching
        }
        if begins { scope.launch { try await self.endSilent() } }
    }

    /// Ends the runs whose lease has expired, until no run is open.
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
                    continue  // Retried with the next beat.
                }
            }
        }
    }
}

/// The leases of the open reported runs, and their places.
///
/// A pure state machine. Time is counted in beats. A lease lasts ``length`` beats or the larger number that its
/// reporter requested; a renewed lease lasts at least that many whole beats, and less than one more.
struct ReportLeases: Sendable {
    private struct Lease {
        let operation: String
        /// The claim of the run's place, or nil for a resumed run that found no place.
        let claim: RunAdmission.Claim?
        var age = 0
        var length = ReportLeases.length
    }

    static let length = 10

    private var leases: [String: Lease] = [:]
    private var admission: RunAdmission

    init(_ limits: RunLimits, operations: Int) { admission = RunAdmission(limits, operations: operations) }

    mutating func resize(operations: Int) { admission.resize(operations: operations) }

    var count: Int { leases.count }

    func contains(_ run: String) -> Bool { leases[run] != nil }

    /// Takes a place for a run that is about to be opened, or returns the refusal; an open run keeps its place.
    mutating func open(_ run: String, _ claim: RunAdmission.Claim) -> RunAdmission.Refusal? {
        guard leases[run] == nil else { return nil }
        if let refusal = admission.admit(claim) { return refusal }
        leases[run] = Lease(operation: claim.operation, claim: claim)
        return nil
    }

    mutating func resume(_ run: String, _ claim: RunAdmission.Claim) {
        guard leases[run] == nil else { return }
        let isCounted = admission.admit(claim) == nil
        leases[run] = Lease(operation: claim.operation, claim: isCounted ? claim : nil)
    }

    /// Renews the lease of a run; `length` is the number of beats requested by the reporter, at least ``length``.
    mutating func renew(_ run: String, length: Int? = nil) {
        leases[run]?.age = 0
        if let length { leases[run]?.length = max(length, Self.length) }
    }

    mutating func close(_ run: String) {
        if let claim = leases.removeValue(forKey: run)?.claim { admission.release(claim) }
    }

    /// Counts a beat, and returns the runs with an expired lease, with their operations.
    ///
    /// They stay open and are returned with each beat until they are closed.
    mutating func beat() -> [(run: String, operation: String)] {
        var silent: [(run: String, operation: String)] = []
        for (run, lease) in leases {
            leases[run]?.age = lease.age + 1
            if lease.age >= lease.length { silent.append((run, lease.operation)) }
        }
        return silent.sorted { $0.run < $1.run }
    }
}
