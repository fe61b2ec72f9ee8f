import Foundation
import Logging
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

extension Notifier {
    /// Sends the messages that wait, each when it is due and has a place, until the task is cancelled.
    func send() async {
        await withDiscardingTaskGroup { group in
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
                    // A sleep that is cut short ends with the rest.
                    guard (try? await clock.sleep(for: wait)) != nil else { return }
                    queue.send()
                }
            }
        }
    }

    /// Sends the messages that are due and have a place; returns the time until the next one is due, or nil if none waits.
    private func beginDue(_ begin: (String, Data) -> Void) async -> Duration? {
        do {
            while true {
                let heads = try await store.heads(except: turns.withLock { $0.inFlight })
                let now = now().milliseconds
                let addressed = addressed(heads)
                let begun = Set(turns.withLock { $0.begin(addressed, now: now) })
                for head in heads where begun.contains(head.id) { begin(head.id, head.json) }
                // Behind a head that is sent there may be another message that has a place.
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

    /// The heads of queues with their receivers.
    private func addressed(_ heads: [DeliveryStore.Head]) -> [DeliveryTurns.Head] {
        let plan = plan.withLock { $0 }
        // One rule can have a queue for each operation, and finding its receiver can read the file of secrets.
        var known: [NotificationRule.Channel: DeliveryTurns.Receiver?] = [:]
        return heads.map { head in
            let rule = plan.rules(of: head.queue.operation).first(named: head.queue.rule)
            let receiver = rule.flatMap { rule in
                let receiver = known[rule.channel] ?? sender.receiver(of: rule)
                known[rule.channel] = receiver
                return receiver
            }
            return DeliveryTurns.Head(
                id: head.id, queue: head.queue, nextAt: head.nextAt, receiver: receiver ?? .none(head.queue))
        }
    }

    /// Tries to send a message once, and keeps the result.
    ///
    /// - Returns: Whether the receiver was slow; nil if nothing was sent.
    private func attempt(_ json: Data) async -> Bool? {
        let wasSlow: Bool?
        let delivery: DeliveryRecord
        do {
            (delivery, wasSlow) = try await sent(DeliveryRecord(json: json))
        } catch is CancellationError {
            // It is sent again, with the same id, when the server is back.
            return nil
        } catch {
            logger.error("A message could not be kept.", metadata: ["cause": "\(Quoted(error))"])
            // Otherwise it would be sent again at once, and again.
            try? await clock.sleep(for: Self.patience)
            return nil
        }
        guard delivery.status == .failed else { return wasSlow }
        logger.warning(
            "A message was not delivered.",
            metadata: [
                "delivery": "\(delivery.id)", "place": "\(Quoted(delivery.place))",
                "reason": "\(Quoted(delivery.detail ?? ""))",
            ])
        return wasSlow
    }

    private func sent(_ waiting: DeliveryRecord) async throws -> (DeliveryRecord, wasSlow: Bool?) {
        var delivery = waiting
        guard let rule = plan.withLock({ $0 }).rules(of: delivery.facts.operation).first(named: delivery.rule) else {
            delivery.status = .failed
            delivery.detail = "The rule by which this was to be sent is not declared any more."
            try await store.update(delivery)
            return (delivery, nil)
        }
        delivery.attempts += 1
        delivery.triedAt = now().milliseconds
        // Before it is made: one that ends the server is counted, and tried a bounded number of times.
        try await store.update(delivery)
        let elapsed = sender.stopwatch()
        let outcome = try await sender.send(delivery.facts, by: rule)
        let wasSlow = elapsed() >= Self.slow
        delivery.take(outcome, now: now().milliseconds)
        try await store.update(delivery)
        return (delivery, wasSlow)
    }
}

extension [NotificationRule] {
    fileprivate func first(named name: String) -> NotificationRule? { first { $0.name == name } }
}
