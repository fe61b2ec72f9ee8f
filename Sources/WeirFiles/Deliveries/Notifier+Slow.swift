import Logging
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

extension Notifier {
    /// Tells of runs that take longer than usual, each once, until the task is cancelled.
    ///
    /// When that is the case is known from the start of a run: it is looked at when one begins, when the rules change, and when
    /// the next one is due.
    func watch() async {
        begun.send()
        var signals = begun.sent.makeAsyncIterator()
        var alarm: Task<Void, Never>?
        defer { alarm?.cancel() }
        while await signals.next() != nil {
            alarm?.cancel()
            let wait: Duration?
            do {
                wait = try await tellOfSlow()
            } catch {
                guard !Task.isCancelled else { return }
                logger.error("Slow runs could not be looked for.", metadata: ["cause": "\(Quoted(error))"])
                wait = Self.patience
            }
            guard let wait else { continue }
            alarm = Task { [clock, begun] in
                guard (try? await clock.sleep(for: wait)) != nil else { return }
                begun.send()
            }
        }
    }

    /// Adds messages of the runs that are slow now; returns how long to wait for the next, if there may be one.
    private func tellOfSlow() async throws -> Duration? {
        let plan = plan.withLock { $0 }
        let now = now()
        let asking = board.catalog.entries.reduce(into: [String: [NotificationRule]]()) { asking, entry in
            let rules = plan.rules(of: entry.id).filter { $0.events.contains(.slow) }
            if !rules.isEmpty { asking[entry.id] = rules }
        }
        guard !asking.isEmpty else { return nil }
        // Another server tells; this one may take its place.
        guard board.isRecording else { return .seconds(60) }
        var deliveries: [DeliveryRecord] = []
        var next = Int64.max
        for run in try await board.unfinishedRuns() where run.origin == nil {
            guard let rules = asking[run.operation], let end = run.expectedEnd else { continue }
            guard now >= end else {
                next = min(next, end - now)
                continue
            }
            deliveries += rules.map { message(of: run, by: $0, at: now) }
        }
        // Those that are there already stay as they are, after a restart too.
        if !deliveries.isEmpty {
            try await store.add(deliveries)
            queue.send()
        }
        return next == .max ? nil : .milliseconds(max(1, min(next, 3_600_000)))
    }

    private func message(of run: RunRecord, by rule: NotificationRule, at now: Timestamp) -> DeliveryRecord {
        var facts = facts(of: run)
        facts.event = .slow
        // No rule has a name with a dot, so no end has this id.
        facts.delivery = "\(run.id)-\(rule.name).slow"
        facts.endedAt = now.milliseconds
        return DeliveryRecord(facts: facts, rule: rule, nextAt: now.milliseconds)
    }
}
