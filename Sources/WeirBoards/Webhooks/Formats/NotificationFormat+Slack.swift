import WeirStates

// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks: `text` is what notifications show, `blocks`
// what the channel does. A header has at most 150 characters of plain text, a section 3,000. `&`, `<` and `>` are escaped,
// so that nothing in a text is taken for a link or calls a whole channel.
extension NotificationFormat {
    static func slack(_ facts: NotificationFacts) -> JSONValue {
        var blocks: [JSONValue] = [
            [
                "type": "header",
                "text": [
                    "type": "plain_text", "text": .string("\(facts.tone.slack) \(facts.headline)".cut(to: 150)),
                    "emoji": true,
                ],
            ]
        ]
        if let message = facts.message {
            blocks.append([
                "type": "section",
                // Plain text, in which nothing has a meaning of its own.
                "text": ["type": "plain_text", "text": .string(message.cut(to: 2_900)), "emoji": false],
            ])
        }
        var note = slackText(facts.note.cut(to: 1_000))
        if !facts.url.isEmpty {
            note += " · <\(slackText(facts.url))|\(facts.run == nil ? "Open the operation" : "Open the run")>"
        }
        blocks.append(["type": "context", "elements": [["type": "mrkdwn", "text": .string(note)]]])
        let text = [facts.headline, facts.message].compactMap { $0 }.joined(separator: ": ")
        return ["text": .string(slackText(text.cut(to: 2_900))), "blocks": .array(blocks)]
    }

    private static func slackText(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

extension NotificationFacts {
    /// How the news sounds, for receivers that have colours and pictures.
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

    var tone: Tone {
        switch event {
        case .succeeded, .recovered: .good
        case .failed, .interrupted: .bad
        case .slow: .warning
        case .cancelled, nil: .neutral
        }
    }
}
