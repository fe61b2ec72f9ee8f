import Foundation
import WeirJournals
import WeirStates

package enum NotificationFormat: String, Sendable, Hashable, Codable, CaseIterable {
    case generic
    /// A Slack incoming webhook: a text and blocks.
    case slack
    /// A Microsoft Teams workflow that posts the request: a message with an adaptive card.
    case teams
    /// An ntfy topic: a text and header fields.
    case ntfy
    /// A Telegram bot's method `sendMessage`: a text for a chat.
    case telegram
    /// A Discord webhook: an embed.
    case discord
    /// The PagerDuty Events API v2: an event that opens or resolves an incident.
    case pagerduty
    /// The API of a Prometheus Alertmanager: an alert.
    case alertmanager

    var title: String {
        switch self {
        case .generic: "Webhook"
        case .slack: "Slack"
        case .teams: "Teams"
        case .ntfy: "ntfy"
        case .telegram: "Telegram"
        case .discord: "Discord"
        case .pagerduty: "PagerDuty"
        case .alertmanager: "Alertmanager"
        }
    }

    /// The meaning of `to` in a rule, or nil if the format has no such value.
    package var meaningOfTo: String? {
        switch self {
        case .telegram: "the id of the chat, such as \"-1001234567890\""
        case .pagerduty: "the integration key, such as \"{{secrets.pagerduty}}\""
        case .generic, .slack, .teams, .ntfy, .discord, .alertmanager: nil
        }
    }

    /// The standard input of a notification command: the body of a generic webhook.
    ///
    /// Throws as ``message(_:)`` does.
    package static func text(of facts: NotificationFacts) throws -> String { try generic(facts).text() }

    /// The request's body with its header fields.
    ///
    /// `to` is the receiver within the service, for the formats with a ``meaningOfTo``. Throws `EncodingError` for an input
    /// with a number that JSON cannot represent.
    package func message(_ facts: NotificationFacts, to: String = "") throws -> NotificationMessage {
        switch self {
        case .generic: NotificationMessage(json: try Self.generic(facts).text())
        case .slack: NotificationMessage(json: try Self.slack(facts).text())
        case .teams: NotificationMessage(json: try Self.teams(facts).text())
        case .ntfy: Self.ntfy(facts)
        case .telegram: NotificationMessage(json: try Self.telegram(facts, chat: to).text())
        case .discord: NotificationMessage(json: try Self.discord(facts).text())
        case .pagerduty: NotificationMessage(json: try Self.pagerduty(facts, key: to).text())
        case .alertmanager: NotificationMessage(json: try Self.alertmanager(facts).text())
        }
    }

    static func generic(_ facts: NotificationFacts) -> JSONValue {
        var members: [String: JSONValue] = [
            "delivery": .string(facts.delivery), "event": .string(facts.event?.rawValue ?? "test"),
            "text": .string(facts.headline),
            "operation": ["id": .string(facts.operation), "title": .string(facts.title)], "url": .string(facts.url),
            "actor": .string(facts.actor), "at": .integer(facts.endedAt),
        ]
        if let planned = facts.plannedAt {
            members["start"] = [
                "plannedAt": .integer(planned), "message": facts.message.map(JSONValue.string) ?? .null,
            ]
        }
        if let condition = facts.condition {
            members["condition"] = [
                "kind": .string(condition.kind.rawValue), "subject": .string(condition.subject),
                "message": .string(condition.sentence), "over": .bool(condition.isOver),
                "since": .integer(condition.since.milliseconds),
            ]
        }
        if let run = facts.run {
            members["run"] = [
                "id": .string(run), "phase": facts.phase.map { .string($0.rawValue) } ?? .null,
                "state": facts.state.map(JSONValue.string) ?? .null,
                "message": facts.message.map(JSONValue.string) ?? .null, "input": facts.input,
                "startedAt": facts.startedAt.map(JSONValue.integer) ?? .null,
                "endedAt": facts.event == .slow ? .null : .integer(facts.endedAt),
                "step": facts.step.map(JSONValue.string) ?? .null,
                "stepTitle": facts.stepTitle.map(JSONValue.string) ?? .null,
                "output": .array((facts.output ?? []).map(JSONValue.string)),
            ]
        }
        return .object(members)
    }
}

package struct NotificationMessage: Sendable, Hashable {
    package var body: String
    package var headers: [String: String]

    init(body: String, headers: [String: String]) {
        self.body = body
        self.headers = headers
    }

    init(json: String) { self.init(body: json, headers: ["Content-Type": "application/json"]) }
}

/// The unit in which a receiver counts the length of a text.
package enum TextUnit: Sendable {
    case utf16, bytes

    func size(of scalar: Unicode.Scalar) -> Int {
        switch self {
        case .utf16: UTF16.width(scalar)
        case .bytes: UTF8.width(scalar)
        }
    }
}

extension String {
    /// The text, or its beginning with an ellipsis, whose length does not exceed a limit once `escape` has been applied.
    ///
    /// Cuts between scalars, because a single character can exceed every limit.
    package func cut(to limit: Int, _ unit: TextUnit, escape: (Unicode.Scalar) -> String? = { _ in nil }) -> String {
        func length(_ scalar: Unicode.Scalar) -> Int {
            escape(scalar).map { $0.unicodeScalars.reduce(0) { $0 + unit.size(of: $1) } } ?? unit.size(of: scalar)
        }
        var (size, end) = (0, unicodeScalars.startIndex)
        for index in unicodeScalars.indices {
            size += length(unicodeScalars[index])
            if size <= limit - unit.size(of: "…") { end = unicodeScalars.index(after: index) }
            if size > limit { return String(unicodeScalars[..<end]) + "…" }
        }
        return self
    }

    func escaped(_ escape: (Unicode.Scalar) -> String?) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if let replacement = escape(scalar) { text += replacement } else { text.unicodeScalars.append(scalar) }
        }
    }
}

// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks: notifications show `text`, the channel
// shows `blocks`. A header has at most 150 characters of plain text, a section 3,000,
// counted in UTF-16. `&`, `<` and `>` are escaped, so
// that texts cannot contain links or mention a whole channel.
extension NotificationFormat {
    static func slack(_ facts: NotificationFacts) -> JSONValue {
        var blocks: [JSONValue] = [
            [
                "type": "header",
                "text": [
                    "type": "plain_text", "text": .string("\(facts.tone.slack) \(facts.headline)".cut(to: 150, .utf16)),
                    "emoji": true,
                ],
            ]
        ]
        if let message = facts.message {
            blocks.append([
                "type": "section",
                // Plain text, in which no markup is interpreted.
                "text": ["type": "plain_text", "text": .string(message.cut(to: 2_900, .utf16)), "emoji": false],
            ])
        }
        if let output = facts.shownOutput {
            blocks.append([
                "type": "section",
                "text": ["type": "plain_text", "text": .string(output.cut(to: 2_900, .utf16)), "emoji": false],
            ])
        }
        var note = slackText(facts.note, limit: 1_000)
        if !facts.url.isEmpty {
            note += " · <\(facts.url.escaped(slackEscape))|\(facts.linkTitle)>"
        }
        blocks.append(["type": "context", "elements": [["type": "mrkdwn", "text": .string(note)]]])
        let text = [facts.headline, facts.message].compactMap { $0 }.joined(separator: ": ")
        return ["text": .string(slackText(text, limit: 2_900)), "blocks": .array(blocks)]
    }

    private static func slackText(_ text: String, limit: Int) -> String {
        text.cut(to: limit, .utf16, escape: slackEscape).escaped(slackEscape)
    }

    private static func slackEscape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        default: nil
        }
    }
}

extension NotificationFacts {
    /// The tone of an event, for receivers with colours and emoji.
    enum Tone {
        case good, bad, warning, neutral

        var slack: String {
            switch self {
            case .good: ":white_check_mark:"
            case .bad: ":x:"
            case .warning: ":warning:"
            case .neutral: ":information_source:"
            }
        }
    }

    var linkTitle: String {
        if let summary { return summary.linkTitle }
        if condition != nil { return "Open the system page" }
        return run == nil ? "Open the operation" : "Open the run"
    }

    var tone: Tone {
        switch event {
        case .server: condition?.isOver == true ? .good : .warning
        case .succeeded, .recovered: .good
        case .failed, .interrupted, .missed: .bad
        case .slow: .warning
        case .digest, .report: summary?.isBad == true ? .bad : .neutral
        case .cancelled, nil: .neutral
        }
    }
}

// https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using: a `message` with
// one attachment, an adaptive card. Its texts support some Markdown, which is escaped. A message has at most 28 KB.
extension NotificationFormat {
    static func teams(_ facts: NotificationFacts) -> JSONValue {
        let color =
            switch facts.tone {
            case .good: "Good"
            case .bad: "Attention"
            case .warning: "Warning"
            case .neutral: "Default"
            }
        var body: [JSONValue] = [
            [
                "type": "TextBlock", "size": "Large", "weight": "Bolder", "wrap": true, "color": .string(color),
                "text": .string(teamsText(facts.headline, limit: 1_000)),
            ]
        ]
        if let message = facts.message {
            body.append(["type": "TextBlock", "wrap": true, "text": .string(teamsText(message, limit: 8_000))])
        }
        if let output = facts.shownOutput {
            body.append([
                "type": "TextBlock", "wrap": true, "fontType": "Monospace",
                // An empty line is a line break in Markdown.
                "text": .string(teamsText(output, limit: 8_000).replacing("\n", with: "\n\n")),
            ])
        }
        body.append([
            "type": "TextBlock", "isSubtle": true, "wrap": true,
            "text": .string(teamsText(facts.note, limit: 1_000)),
        ])
        var card: [String: JSONValue] = [
            "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard",
            "version": "1.4", "body": .array(body),
        ]
        if !facts.url.isEmpty {
            card["actions"] = [
                ["type": "Action.OpenUrl", "title": .string(facts.linkTitle), "url": .string(facts.url)]
            ]
        }
        return [
            "type": "message",
            "attachments": [
                [
                    "contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": .null,
                    "content": .object(card),
                ]
            ],
        ]
    }

    private static func teamsText(_ text: String, limit: Int) -> String {
        let escape = { (scalar: Unicode.Scalar) in
            "\\*_[]()#`>".unicodeScalars.contains(scalar) ? "\\\(scalar)" : nil
        }
        return text.cut(to: limit, .bytes, escape: escape).escaped(escape)
    }
}

// https://docs.ntfy.sh/publish/: the body is the text, of at most 4,096 bytes; everything else is in header fields,
// encoded as in RFC 2047 if not ASCII. Priorities range from 1 to 5.
extension NotificationFormat {
    static func ntfy(_ facts: NotificationFacts) -> NotificationMessage {
        let message = facts.shownOutput == nil ? facts.message : facts.message?.cut(to: 1_000, .bytes)
        let parts = [message, facts.note, facts.shownOutput]
        let text = parts.compactMap { $0 }.joined(separator: "\n").cut(to: 4_000, .bytes)
        let (priority, tag) =
            switch facts.tone {
            case .good: ("3", "white_check_mark")
            case .bad: ("4", "x")
            case .warning: ("4", "warning")
            case .neutral: ("3", "information_source")
            }
        var headers = [
            "Content-Type": "text/plain; charset=utf-8", "Title": ntfyField(facts.headline.cut(to: 400, .bytes)),
            "Priority": priority, "Tags": tag,
        ]
        if !facts.url.isEmpty { headers["Click"] = ntfyField(facts.url) }
        return NotificationMessage(body: text, headers: headers)
    }

    private static func ntfyField(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) || text.hasPrefix("=?") else { return text }
        return "=?UTF-8?B?\(Data(text.utf8).base64EncodedString())?="
    }
}
