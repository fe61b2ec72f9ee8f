package import WeirStates

/// What came of a request to a trigger.
package struct TriggerRecord: Sendable, Hashable, Codable {
    /// How it ended.
    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        /// It started a run, or joined one.
        case started
        /// It was there before, and nothing was started.
        case repeated
        /// It is about something else.
        case ignored
        /// The sender tried the address.
        case ping
        /// No run could be started.
        case refused
        /// Its sender is not proven. Such requests are counted in one record.
        case unproven
    }

    /// The trigger, as ``TriggerRule/id``.
    package let trigger: String
    /// When it came, in milliseconds since 1970.
    package let at: Int64
    package let outcome: Outcome
    /// The run.
    package let run: String?
    /// Why, in a sentence.
    package let detail: String?
    /// How many there were.
    package let count: Int64

    package init(
        trigger: String, at: Int64, _ outcome: Outcome, run: String? = nil, detail: String? = nil, count: Int64 = 1
    ) {
        self.trigger = trigger
        self.at = at
        self.outcome = outcome
        self.run = run
        self.detail = detail
        self.count = count
    }

    /// The record as the API gives it.
    package var json: JSONValue {
        [
            "at": .integer(at), "outcome": .string(outcome.rawValue), "run": run.map(JSONValue.string) ?? .null,
            "detail": detail.map(JSONValue.string) ?? .null, "count": .integer(count),
        ]
    }
}
