package import WeirStates

/// A message, and how its delivery stands.
package struct DeliveryRecord: Sendable, Hashable, Codable {
    /// How it stands.
    package enum Status: String, Sendable, Hashable, Codable, CaseIterable {
        /// It is to be sent, for the first time or again.
        case waiting
        /// The receiver took it.
        case delivered
        /// It will not be sent again.
        case failed
    }

    /// What receivers know it again by.
    package var id: String { facts.delivery }
    /// What it says.
    package var facts: NotificationFacts
    /// The name of the rule that it is sent by.
    package var rule: String
    /// Where it goes, for people.
    package var place: String
    package var status = Status.waiting
    /// How many times it was sent, or tried to be.
    package var attempts = 0
    /// When it was last tried, in milliseconds since 1970.
    package var triedAt: Int64?
    /// When it is tried next.
    package var nextAt: Int64
    /// What came of the last attempt, in a sentence.
    package var detail: String?

    package init(facts: NotificationFacts, rule: NotificationRule, nextAt: Int64) {
        self.facts = facts
        self.rule = rule.name
        place = rule.place
        self.nextAt = nextAt
    }

    /// The record as the API gives it.
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
