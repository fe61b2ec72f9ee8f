package import WeirJournals
package import WeirStates

/// The triggers and notifications of operations, for dashboards.
package protocol HookService: Sendable {
    func triggers(of operation: String) -> [TriggerRule]
    /// The rules of an operation, or of the server itself, which is `ServerCondition.operation`.
    func notifications(of operation: String) -> [NotificationRule]
    /// A stored secret, or nil if it does not exist.
    func secret(_ name: String) -> String?

    /// The run of an earlier request to a trigger with the same key; nil for a new request.
    func run(of trigger: TriggerRule, key: String) async throws -> String?
    /// Records the result of a request to a trigger, and the key that identifies repeated requests.
    func note(_ record: TriggerRecord, key: String?) async
    /// The newest requests to an operation's triggers, newest first.
    func requests(toTriggersOf operation: String) async throws -> [TriggerRecord]

    /// The newest deliveries about an operation or the server, newest first.
    func deliveries(of operation: String) async throws -> [DeliveryRecord]
    /// The deliveries about a run, newest first.
    func deliveries(ofRun run: String) async throws -> [DeliveryRecord]
    /// Queues a test message for each rule of an operation or of the server, and returns at once.
    func test(_ operation: String, actor: String) async throws -> [DeliveryRecord]
}

/// The triggers and notification rules of all operations, from files and settings.
package struct HookPlan: Sendable, Hashable {
    package var triggers: [String: [TriggerRule]] = [:]
    /// The rules of operations that have their own, which replace those of the settings.
    package var notifications: [String: [NotificationRule]] = [:]
    /// The rules of all other operations.
    package var standard: [NotificationRule] = []
    /// The operations to which the standard rules do not apply.
    ///
    /// They do not apply to steps either: the message about the run of steps contains the failed step.
    package var exempt: Set<String> = []

    package init() {}

    package var hasRules: Bool { !standard.isEmpty || notifications.values.contains { !$0.isEmpty } }

    /// The rules for an operation, or for the server itself: for its conditions, digests and reports.
    package func rules(of operation: String, isStep: Bool = false) -> [NotificationRule] {
        if operation == ServerCondition.operation {
            return standard.filter { $0.events.contains(.server) || $0.period != nil }
        }
        return notifications[operation]
            ?? (isStep || exempt.contains(operation)
                ? [] : standard.filter { $0.events != [.server] && $0.period == nil })
    }

    /// The rules that send digests and reports.
    package var periodic: [NotificationRule] { standard.filter { $0.period != nil } }

    /// Whether digests count the runs of an operation: not those that messages leave out, and not steps.
    package func summarizes(_ operation: String, isStep: Bool) -> Bool {
        !isStep && !exempt.contains(operation) && notifications[operation]?.isEmpty != true
            && standard.contains { $0.period?.kind == .digest }
    }

    private var allRules: [NotificationRule] { notifications.values.flatMap { $0 } + standard }

    package var tellsOfSlowRuns: Bool { allRules.contains { $0.events.contains(.slow) } }

    package var sendsMail: Bool { allRules.contains { if case .email = $0.channel { true } else { false } } }

    package var secrets: Set<String> {
        let rules = allRules
        return Set(rules.flatMap(\.secrets)).union(triggers.values.flatMap { $0 }.map(\.secret))
    }
}

/// A notification with the status of its delivery.
package struct DeliveryRecord: Sendable, Hashable, Codable {
    package enum Status: String, Sendable, Hashable, Codable, CaseIterable {
        case waiting
        case delivered
        case failed
    }

    /// The id by which receivers recognize repeated attempts.
    package var id: String { facts.delivery }
    package var facts: NotificationFacts
    /// The change of a run that the message reports; nil for other messages, and for those of earlier versions.
    package var sequence: SequenceNumber?
    package var rule: String
    package var place: String
    package var status = Status.waiting
    package var attempts = 0
    /// When the last attempt was made, in milliseconds since 1970.
    package var triedAt: Int64?
    package var nextAt: Int64
    package var detail: String?
    /// The receivers of an e-mail that need no further attempt, with the reason if the mail server refused them for good.
    package var settled: [String: String]?

    package init(facts: NotificationFacts, rule: NotificationRule, nextAt: Int64) {
        self.facts = facts
        self.rule = rule.name
        place = rule.place
        self.nextAt = nextAt
    }

    package var json: JSONValue {
        [
            "id": .string(id), "operation": .string(facts.operation),
            "run": facts.run.map(JSONValue.string) ?? .null,
            "event": .string(facts.event?.rawValue ?? "test"), "rule": .string(rule), "place": .string(place),
            "status": .string(status.rawValue), "attempts": .integer(Int64(attempts)),
            "at": .integer(facts.endedAt), "triedAt": triedAt.map(JSONValue.integer) ?? .null,
            "nextAt": status == .waiting ? .integer(nextAt) : .null,
            "detail": detail.map(JSONValue.string) ?? .null,
        ]
    }
}

package enum RetryPlan {
    /// The delays before the second and later attempts, in milliseconds.
    static let waits: [Int64] = [5_000, 30_000, 120_000, 600_000, 1_800_000]

    static var attempts: Int { waits.count + 1 }

    /// The delay after a number of attempts; nil if there is no further attempt.
    ///
    /// A longer delay that the receiver requests is honoured, up to an hour.
    package static func wait(afterAttempts attempts: Int, asked: Int64? = nil) -> Int64? {
        guard attempts >= 1, let wait = waits.dropFirst(max(0, attempts - 1)).first else { return nil }
        return max(wait, min(asked ?? 0, 3_600_000))
    }
}
