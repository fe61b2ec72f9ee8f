/// What a dashboard asks of the triggers and notifications of its operations.
package protocol HookService: Sendable {
    /// The triggers of an operation.
    func triggers(of operation: String) -> [TriggerRule]
    /// Who is told of an operation's runs.
    func notifications(of operation: String) -> [NotificationRule]
    /// A kept secret; nil if there is none of that name.
    func secret(_ name: String) -> String?

    /// The run that a request to a trigger started before; nil for a request that is new.
    func run(of trigger: TriggerRule, key: String) async throws -> String?
    /// Keeps what came of a request to a trigger, and what it is known again by.
    func note(_ record: TriggerRecord, key: String?) async
    /// What came of the newest requests to an operation's triggers, newest first.
    func requests(toTriggersOf operation: String) async throws -> [TriggerRecord]

    /// The newest messages about an operation, newest first.
    func deliveries(of operation: String) async throws -> [DeliveryRecord]
    /// The messages about a run, newest first.
    func deliveries(ofRun run: String) async throws -> [DeliveryRecord]
    /// Sends a test message by each of an operation's rules, and returns at once.
    func test(_ operation: String, actor: String) async throws -> [DeliveryRecord]
}

/// The triggers and notifications of all operations, as files and settings declare them.
package struct HookPlan: Sendable, Hashable {
    /// The triggers of each operation.
    package var triggers: [String: [TriggerRule]] = [:]
    /// The rules of operations that have their own; those of the settings do not apply to them.
    package var notifications: [String: [NotificationRule]] = [:]
    /// The rules of all others.
    package var standard: [NotificationRule] = []
    /// The operations that nobody is told of unless they have rules of their own.
    package var exempt: Set<String> = []

    package init() {}

    /// The rules of an operation.
    package func rules(of operation: String) -> [NotificationRule] {
        notifications[operation] ?? (exempt.contains(operation) ? [] : standard)
    }

    /// The names of the secrets that are needed.
    package var secrets: Set<String> {
        let rules = notifications.values.flatMap { $0 } + standard
        return Set(rules.flatMap(\.secrets)).union(triggers.values.flatMap { $0 }.map(\.secret))
    }
}
