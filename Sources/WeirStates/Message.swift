/// A translatable sentence for users: a key, the English text with placeholders, and the values.
///
/// The creator does not know the user's language; `said(_:)` translates the message when a page or response is written.
package struct Message: Sendable, Hashable, Codable, CustomStringConvertible {
    package indirect enum Value: Sendable {
        /// Text that is the same in every language: a name, a number, user input.
        case text(String)
        case message(Message)
        /// Alternatives: “a, b or c”.
        case either([String])
        /// A list: “a, b and c”.
        case all([String])
    }

    /// The key in translation tables; nil for text that is not translated.
    let key: String?
    private let english: String
    private let values: [String: Value]

    /// Creates a message of a translatable sentence with values for its placeholders.
    package init(_ wording: some Wording, _ values: [String: Value] = [:]) {
        (key, english, self.values) = (wording.key, wording.rawValue, values)
    }

    package init(key: String, english: String, _ values: [String: Value]) {
        (self.key, self.english, self.values) = (key, english, values)
    }

    /// Creates a message of fixed text, such as an operation author's.
    package init(verbatim words: String) {
        (key, english, values) = (nil, "{words}", ["words": .text(words)])
    }

    package var description: String { said { _ in nil } }

    /// The message in the language whose sentences are given by key, or in English if it has none.
    package func said(_ sentence: (_ key: String) -> String?) -> String {
        (key.flatMap(sentence) ?? english).filled { values[String($0)]?.said(sentence) }
    }
}

extension Message {
    /// Compares the English texts.
    package static func == (left: Message, right: Message) -> Bool { left.description == right.description }

    package func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// Decodes an English text as fixed text.
    package init(from decoder: any Decoder) throws {
        self.init(verbatim: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the English text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Message.Value: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self = .text(text) }

    fileprivate func said(_ sentence: (_ key: String) -> String?) -> String {
        switch self {
        case .text(let text): text
        case .message(let message): message.said(sentence)
        case .either(let words): Self.joined(words, by: .either, sentence)
        case .all(let words): Self.joined(words, by: .all, sentence)
        }
    }

    private static func joined(
        _ words: [String], by wording: ListWording, _ sentence: (_ key: String) -> String?
    ) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        let first = words.dropLast().joined(separator: ", ")
        return Message(wording, ["first": .text(first), "last": .text(last)]).said(sentence)
    }
}

/// The sentences on one subject: each case's raw value is the English sentence with `{name}` placeholders.
package protocol Wording: RawRepresentable<String>, CaseIterable, Sendable {
    /// The prefix of the sentences' keys, without the dot.
    static var section: String { get }
}

extension Wording {
    /// The key of the sentence in translation tables.
    var key: String { "\(Self.section).\(self)" }
}

/// How the last item of a list is joined to the others.
enum ListWording: String, Wording {
    static let section = "list"

    case either = "{first} or {last}"
    case all = "{first} and {last}"
}

extension String {
    /// Replaces each `{name}` by the result of `value`, in a single pass that does not search inserted values.
    ///
    /// A placeholder for which `value` returns nil remains unchanged.
    package func filled(_ value: (Substring) -> String?) -> String {
        var text = ""
        var rest = utf8[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")),
            let close = rest[open...].firstIndex(of: UInt8(ascii: "}"))
        {
            text += self[rest.startIndex..<open]
            if let value = value(self[rest.index(after: open)..<close]) {
                text += value
                rest = rest[close...].dropFirst()
            } else {
                text += "{"
                rest = rest[open...].dropFirst()
            }
        }
        return text + self[rest.startIndex...]
    }
}
