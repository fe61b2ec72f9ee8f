import WeirStates

// https://core.telegram.org/bots/api#sendmessage: a text of at most 4,096 UTF-16 code units. Without a `parse_mode`, no markup
// is interpreted.
extension NotificationFormat {
    static func telegram(_ facts: NotificationFacts, chat: String) -> JSONValue {
        let parts = [
            "\(facts.tone.emoji) \(facts.headline.cut(to: 300, .utf16))", facts.message?.cut(to: 700, .utf16),
            facts.note.cut(to: 300, .utf16),
            facts.shownOutput,
        ]
        var text = parts.compactMap { $0 }.joined(separator: "\n\n").cut(to: 3_500, .utf16)
        if !facts.url.isEmpty { text += "\n\n\(facts.url.cut(to: 500, .utf16))" }
        return ["chat_id": .string(chat), "text": .string(text), "link_preview_options": ["is_disabled": true]]
    }
}

// https://docs.discord.com/developers/resources/message#embed-object: a title of at most 256 characters, a description of at
// most 4,096. Markdown is escaped, and mentions have no effect.
extension NotificationFormat {
    static func discord(_ facts: NotificationFacts) -> JSONValue {
        var description = facts.message.map { discordText($0, limit: 1_000) + "\n" } ?? ""
        description += discordText(facts.note, limit: 400)
        if let output = facts.shownOutput {
            // A zero-width space between graves, which would end the block.
            description += "\n```\n\(output.replacing("`", with: "`\u{200B}").cut(to: 2_600, .utf16))\n```"
        }
        var embed: [String: JSONValue] = [
            "title": .string(discordText(facts.headline, limit: 256)), "description": .string(description),
            "color": .integer(facts.tone.color),
        ]
        if !facts.url.isEmpty { embed["url"] = .string(facts.url) }
        return ["embeds": [.object(embed)], "allowed_mentions": ["parse": []]]
    }

    private static func discordText(_ text: String, limit: Int) -> String {
        let escape = { (scalar: Unicode.Scalar) -> String? in
            "\\*_~|`>#[]()<@:-".unicodeScalars.contains(scalar) ? "\\\(scalar)" : nil
        }
        return text.cut(to: limit, .utf16, escape: escape).escaped(escape)
    }
}

extension NotificationFacts.Tone {
    fileprivate var emoji: String {
        switch self {
        case .good: "✅"
        case .bad: "❌"
        case .warning: "⚠️"
        case .neutral: "ℹ️"
        }
    }

    fileprivate var color: Int64 {
        switch self {
        case .good: 0x2E_7D32
        case .bad: 0xC6_2828
        case .warning: 0xF9_A825
        case .neutral: 0x60_7D8B
        }
    }
}
