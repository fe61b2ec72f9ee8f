import Logging
package import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

extension Notifier: HookService {
    package func triggers(of operation: String) -> [TriggerRule] {
        plan.withLock { $0 }.triggers[operation] ?? []
    }

    package func notifications(of operation: String) -> [NotificationRule] {
        plan.withLock { $0 }.rules(of: operation)
    }

    package func secret(_ name: String) -> String? { secrets(name) }

    package func run(of trigger: TriggerRule, key: String) async throws -> String? {
        try await store.run(of: trigger.id, key: key)
    }

    package func note(_ record: TriggerRecord, key: String?) async {
        do {
            try await store.note(record, key: key)
        } catch {
            logger.error("A request to a trigger could not be noted.", metadata: ["cause": "\(Quoted(error))"])
        }
    }

    package func requests(toTriggersOf operation: String) async throws -> [TriggerRecord] {
        try await store.requests(of: operation, limit: 20)
    }

    package func deliveries(of operation: String) async throws -> [DeliveryRecord] {
        try await store.deliveries(of: operation, limit: 20)
    }

    package func deliveries(ofRun run: String) async throws -> [DeliveryRecord] {
        try await store.deliveries(ofRun: run)
    }

    package func test(_ operation: String, actor: String) async throws -> [DeliveryRecord] {
        let moment = now().milliseconds
        let isServer = operation == ServerCondition.operation
        let deliveries = notifications(of: operation).map { rule in
            DeliveryRecord(
                facts: NotificationFacts(
                    delivery: "test-\(makeID())", event: nil, operation: operation,
                    title: isServer ? serverTitle : title(of: operation),
                    url: address().map { $0 + (isServer ? "system" : "operations/\(operation)") } ?? "", actor: actor,
                    endedAt: moment),
                rule: rule, nextAt: moment)
        }
        try await begin(deliveries)
        return deliveries
    }
}
