/// A sentence for people that can be said in their language: an English one with places for values, and the values.
///
/// Whoever makes it knows no language. Where a page or an answer is written, the sentence of the reader's language takes
/// the English one's place.
package struct Message: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What stands in a place of the sentence.
    package indirect enum Value: Sendable {
        /// The same in every language: a name, a number, what somebody typed.
        case text(String)
        /// Something that is said in the reader's language itself.
        case message(Message)
        /// One of several: “a, b or c”.
        case either([String])
        /// Several: “a, b and c”.
        case all([String])
    }

    /// Under which key languages have the sentence; nil for words that are the same in all.
    package let key: String?
    private let english: String
    private let values: [String: Value]

    /// Makes a message of a sentence that languages have, and what stands in its places.
    package init(_ wording: some Wording, _ values: [String: Value] = [:]) {
        (key, english, self.values) = (wording.key, wording.rawValue, values)
    }

    /// Makes a message of a sentence that was found in a language's table.
    package init(key: String, english: String, _ values: [String: Value]) {
        (self.key, self.english, self.values) = (key, english, values)
    }

    /// Makes a message of words that stay as they are, such as those of an operation's author.
    package init(verbatim words: String) {
        (key, english, values) = (nil, "{words}", ["words": .text(words)])
    }

    /// The message in English.
    package var description: String { said { _ in nil } }

    /// The message in the language whose sentences are given by key; in English where there is none.
    package func said(_ sentence: (_ key: String) -> String?) -> String {
        (key.flatMap(sentence) ?? english).filled { values[String($0)]?.said(sentence) }
    }
}

extension Message {
    /// Messages are the same when they say the same.
    package static func == (left: Message, right: Message) -> Bool { left.description == right.description }

    package func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// Reads what was written in English.
    package init(from decoder: any Decoder) throws {
        self.init(verbatim: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes it in English.
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
