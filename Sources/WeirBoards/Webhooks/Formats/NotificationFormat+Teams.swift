import WeirStates

// https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using: a `message` with one
// attachment, an adaptive card. Its texts know a little Markdown, which is escaped. A message has at most 28 KB.
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
                "text": .string(teamsText(facts.headline.cut(to: 300))),
            ]
        ]
        if let message = facts.message {
            body.append(["type": "TextBlock", "wrap": true, "text": .string(teamsText(message.cut(to: 3_000)))])
        }
        body.append([
            "type": "TextBlock", "isSubtle": true, "wrap": true,
            "text": .string(teamsText(facts.note.cut(to: 1_000))),
        ])
        var card: [String: JSONValue] = [
            "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard",
            "version": "1.4", "body": .array(body),
        ]
        if !facts.url.isEmpty {
            let title = facts.run == nil ? "Open the operation" : "Open the run"
            card["actions"] = [["type": "Action.OpenUrl", "title": .string(title), "url": .string(facts.url)]]
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

    private static func teamsText(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            if "\\*_[]()#`>".contains(character) { text.append("\\") }
            text.append(character)
        }
    }
}
