import Foundation
import WeirStates

/// How a webhook's receiver wants to be told.
package enum NotificationFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// JSON with everything that is known.
    case generic
    /// An incoming webhook of Slack: a text and blocks.
    case slack
    /// A workflow of Microsoft Teams that posts what a webhook receives: a message with an adaptive card.
    case teams
    /// A topic of ntfy: a text, and header fields.
    case ntfy

    /// What people call it.
    package var title: String {
        switch self {
        case .generic: "Webhook"
        case .slack: "Slack"
        case .teams: "Teams"
        case .ntfy: "ntfy"
        }
    }

    /// What is given to a command on its standard input: the same as the body of a generic webhook.
    ///
    /// Throws as ``message(_:)`` does.
    package static func text(of facts: NotificationFacts) throws -> String { try generic(facts).text() }

    /// The request's body and the header fields that belong to it.
    ///
    /// Throws `EncodingError` for an input with a number that JSON does not have.
    package func message(_ facts: NotificationFacts) throws -> NotificationMessage {
        switch self {
        case .generic: NotificationMessage(json: try Self.generic(facts).text())
        case .slack: NotificationMessage(json: try Self.slack(facts).text())
        case .teams: NotificationMessage(json: try Self.teams(facts).text())
        case .ntfy: Self.ntfy(facts)
        }
    }

    // MARK: Generic

    static func generic(_ facts: NotificationFacts) -> JSONValue {
        var members: [String: JSONValue] = [
            "delivery": .string(facts.delivery), "event": .string(facts.event?.rawValue ?? "test"),
            "text": .string(facts.headline),
            "operation": ["id": .string(facts.operation), "title": .string(facts.title)], "url": .string(facts.url),
            "actor": .string(facts.actor), "at": .integer(facts.endedAt),
        ]
        if let run = facts.run {
            members["run"] = [
                "id": .string(run), "phase": facts.phase.map { .string($0.rawValue) } ?? .null,
                "state": facts.state.map(JSONValue.string) ?? .null,
                "message": facts.message.map(JSONValue.string) ?? .null, "input": facts.input,
                "startedAt": facts.startedAt.map(JSONValue.integer) ?? .null,
                "endedAt": facts.event == .slow ? .null : .integer(facts.endedAt),
            ]
        }
        return .object(members)
    }
}

/// A message as it is sent.
package struct NotificationMessage: Sendable, Hashable {
    /// The body.
    package var body: String
    /// The header fields that belong to it.
    package var headers: [String: String]

    init(body: String, headers: [String: String]) {
        self.body = body
        self.headers = headers
    }

    init(json: String) { self.init(body: json, headers: ["Content-Type": "application/json"]) }
}

extension String {
    /// The text, cut to so many characters.
    func cut(to limit: Int) -> String { count > limit ? String(prefix(limit - 1)) + "…" : self }
}
