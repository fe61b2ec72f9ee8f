import NIOConcurrencyHelpers
import WeirBoards

/// Triggers and notifications that a test has in hand, with what came of requests.
final class KnownHooks: HookService {
    let records = NIOLockedValueBox<[TriggerRecord]>([])
    private let keys = NIOLockedValueBox<[String: String]>([:])
    private let rules: [TriggerRule]
    private let notifications: [NotificationRule]
    private let secrets: [String: String]
    private let delivers: Bool
    /// Whether the run of a key is found, which it is not while another request with the key is handled.
    private let remembers: Bool

    init(
        _ rules: [TriggerRule], notifications: [NotificationRule] = [], secrets: [String: String] = [:],
        delivers: Bool = true, remembers: Bool = true
    ) {
        self.remembers = remembers
        self.delivers = delivers
        self.rules = rules
        self.notifications = notifications
        self.secrets = secrets
    }

    func triggers(of operation: String) -> [TriggerRule] { rules.filter { $0.operation == operation } }

    func notifications(of operation: String) -> [NotificationRule] {
        ["steps", ServerCondition.operation].contains(operation) ? notifications : []
    }

    func secret(_ name: String) -> String? { secrets[name] }

    func run(of trigger: TriggerRule, key: String) async throws -> String? {
        remembers ? keys.withLockedValue { $0[key] } : nil
    }

    func note(_ record: TriggerRecord, key: String?) async {
        records.withLockedValue { $0.append(record) }
        if let key { keys.withLockedValue { $0[key] = record.run } }
    }

    func requests(toTriggersOf operation: String) async throws -> [TriggerRecord] { records.withLockedValue { $0 } }

    func deliveries(of operation: String) async throws -> [DeliveryRecord] { delivered }

    func deliveries(ofRun run: String) async throws -> [DeliveryRecord] { delivered }

    func test(_ operation: String, actor: String) async throws -> [DeliveryRecord] { delivered }

    private var delivered: [DeliveryRecord] {
        guard delivers else { return [] }
        return notifications.map { rule in
            DeliveryRecord(
                facts: NotificationFacts(
                    delivery: "d", event: nil, operation: "steps", title: "Steps", actor: "Ana", endedAt: 0),
                rule: rule, nextAt: 0)
        }
    }
}
