import Foundation
import Logging
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

extension Notifier {
    /// Sends waiting messages, each when it is due and has a place, until the task is cancelled.
    func send() async {
        await withDiscardingTaskGroup { group in
            let quiet = board.quiet.subscribe(.lossless) { [queue] _ in queue.send() }
            defer { quiet.cancel() }
            queue.send()
            var signals = queue.sent.makeAsyncIterator()
            var alarm: Task<Void, Never>?
            defer { alarm?.cancel() }
            while await signals.next() != nil {
                alarm?.cancel()
                let wait = await beginDue { id, json in
                    group.addTask {
                        let wasSlow = await self.attempt(json)
                        self.turns.withLock { $0.end(id, wasSlow: wasSlow) }
                        self.queue.send()
                    }
                }
                guard let wait else { continue }
                alarm = Task { [clock, queue] in
                    // Cancelled together with this loop.
                    guard (try? await clock.sleep(for: wait)) != nil else { return }
                    queue.send()
                }
            }
        }
    }

    /// Starts the messages that are due and have a place; returns the time until the next one, or nil if none waits.
    private func beginDue(_ begin: (String, Data) -> Void) async -> Duration? {
        guard board.quiet.value == nil else { return nil }
        do {
            while true {
                let heads = try await store.heads(except: turns.withLock { $0.inFlight })
                let now = now().milliseconds
                let addressed = addressed(heads)
                let begun = Set(turns.withLock { $0.begin(addressed, now: now) })
                for head in heads where begun.contains(head.id) { begin(head.id, head.json) }
                // The next message of a started queue may have a place too.
                guard begun.isEmpty else { continue }
                let next = heads.map(\.nextAt).filter { $0 > now }.min()
                return next.map { .milliseconds(min($0 - now, 3_600_000)) }
            }
        } catch {
            guard !Task.isCancelled else { return nil }
            logger.error("Messages could not be read.", metadata: ["cause": "\(Quoted(error))"])
            return Self.patience
        }
    }

    private func addressed(_ heads: [DeliveryStore.Head]) -> [DeliveryTurns.Head] {
        let plan = plan.withLock { $0 }
        // Caches receivers: a rule can have one queue per operation, and resolving it can read the file of secrets.
        var known: [NotificationRule.Channel: DeliveryTurns.Receiver?] = [:]
        return heads.map { head in
            let rule = plan.rules(of: head.queue.operation).first(named: head.queue.rule)
            let receiver = rule.flatMap { rule in
                let receiver = known[rule.channel] ?? sender.receiver(of: rule)
                known[rule.channel] = receiver
                return receiver
            }
            return DeliveryTurns.Head(
                id: head.id, queue: head.queue, nextAt: head.nextAt, receiver: receiver ?? .none(head.queue),
                isInOrder: rule?.channel.opensIncidents ?? false)
        }
    }

    /// Attempts to send a message and stores the result; returns whether the receiver was slow, or nil if nothing was sent.
    private func attempt(_ json: Data) async -> Bool? {
        let wasSlow: Bool?
        let delivery: DeliveryRecord
        do {
            guard let sent = try await sent(DeliveryRecord(json: json)) else { return nil }
            (delivery, wasSlow) = sent
        } catch is CancellationError {
            // The message is sent again after the restart, with the same id.
            return nil
        } catch {
            logger.error("A message could not be kept.", metadata: ["cause": "\(Quoted(error))"])
            // Prevents a tight loop of attempts.
            try? await clock.sleep(for: Self.patience)
            return nil
        }
        outcomes.count(delivery.status)
        if delivery.status != .waiting { await noteEnd(of: delivery) }
        guard delivery.status == .failed else { return wasSlow }
        logger.warning(
            "A message was not delivered.",
            metadata: [
                "delivery": "\(delivery.id)", "place": "\(Quoted(delivery.place))",
                "reason": "\(Quoted(delivery.detail ?? ""))",
            ])
        return wasSlow
    }

    /// Sends a message; returns nil if a later one has made it obsolete.
    private func sent(_ waiting: DeliveryRecord) async throws -> (DeliveryRecord, wasSlow: Bool?)? {
        var delivery = waiting
        guard let rule = plan.withLock({ $0 }).rules(of: delivery.facts.operation).first(named: delivery.rule) else {
            delivery.status = .failed
            delivery.detail = "The rule by which this was to be sent is not declared any more."
            try await store.update(delivery)
            return (delivery, nil)
        }
        if rule.channel.opensIncidents, try await store.isOvertaken(delivery) {
            delivery.status = .failed
            delivery.detail = "It was not sent again: a later message about the same problem has arrived."
            try await store.update(delivery)
            return nil
        }
        delivery.attempts += 1
        delivery.triedAt = now().milliseconds
        // Before sending, so that an attempt which crashes the server counts, and attempts stay bounded.
        try await store.update(delivery)
        let elapsed = sender.stopwatch()
        let outcome = try await sender.send(delivery.facts, by: rule, settled: delivery.settled ?? [:])
        let wasSlow = elapsed() >= Self.slow
        delivery.take(outcome, now: now().milliseconds)
        try await store.update(delivery)
        return (delivery, wasSlow)
    }
}

extension [NotificationRule] {
    fileprivate func first(named name: String) -> NotificationRule? { first { $0.name == name } }
}

extension NotificationRule.Channel {
    fileprivate var opensIncidents: Bool {
        guard case .webhook(let webhook) = self else { return false }
        return webhook.body.opensIncidents
    }
}

extension Notifier {
    /// Notifies once about each run that takes longer than usual, until the task is cancelled.
    ///
    /// The start of a run determines when it becomes slow. So the check runs when a run starts, when the rules change, and when
    /// the next run becomes slow.
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

    /// Adds messages about slow runs; returns the time until the next check, or nil if none is required.
    private func tellOfSlow() async throws -> Duration? {
        let plan = plan.withLock { $0 }
        guard plan.tellsOfSlowRuns else { return nil }
        let now = now()
        let asking = board.catalog.entries.reduce(into: [String: [NotificationRule]]()) { asking, entry in
            let rules = plan.rules(of: entry.id).filter { $0.events.contains(.slow) }
            if !rules.isEmpty { asking[entry.id] = rules }
        }
        guard !asking.isEmpty else { return nil }
        // The recording server notifies. This one checks in case it takes over.
        guard board.isRecording else { return .seconds(60) }
        var deliveries: [DeliveryRecord] = []
        var next = Int64.max
        for run in try await board.unfinishedRuns() where run.origin == nil {
            guard let rules = asking[run.operation], let end = run.expectedEnd else { continue }
            let isStep = try await isStep(run)
            guard !plan.rules(of: run.operation, isStep: isStep).isEmpty else { continue }
            guard now >= end else {
                next = min(next, end - now)
                continue
            }
            let facts = try await explainedFacts(of: run)
            deliveries += rules.map { message(facts, run.id, by: $0, at: now) }
        }
        // Existing messages stay unchanged, even after a restart.
        if !deliveries.isEmpty {
            try await begin(deliveries)
        }
        return next == .max ? nil : .milliseconds(max(1, min(next, 3_600_000)))
    }

    private func message(
        _ facts: NotificationFacts, _ run: String, by rule: NotificationRule, at now: Timestamp
    ) -> DeliveryRecord {
        var facts = facts
        facts.event = .slow
        // Rule names contain no dot, so this id differs from those of ends.
        facts.delivery = "\(run)-\(rule.name).slow"
        facts.endedAt = now.milliseconds
        return DeliveryRecord(facts: facts, rule: rule, nextAt: now.milliseconds)
    }
}
