import Mustache
import WeirStates

/// The strings of a locale: what templates find under `t`, and what Swift reads by key.
///
/// A string with tags of its own, such as `Attempt {{attempt}}`, is rendered where it is used, with the variables
/// there.
struct StringTable: Sendable {
    /// The texts by key.
    let texts: [String: String]
    private let root: StringSection
    /// The sentences of what is recorded in English; nil for English itself.
    private let recorded: RecordedSentences?

    /// Creates a table; a key that is missing falls back to the other table.
    init(_ texts: [String: String], fallback: StringTable?) {
        self.texts = texts
        let all = (fallback?.texts ?? [:]).merging(texts) { $1 }
        root = StringSection(all)
        recorded = fallback.map { RecordedSentences($0.texts) }
    }

    /// What templates find under `t`.
    var context: any MustacheParent { root }

    /// The string with that key; nil if there is none.
    func optional(_ key: String) -> String? { root.texts[key] }

    /// The string with that key; the key itself, visibly, if there is none.
    subscript(_ key: StringKey) -> String { root.texts[key.rawValue] ?? "\u{27E8}\(key.rawValue)\u{27E9}" }

    /// A message in the table's language.
    func callAsFunction(_ message: Message) -> String { message.said { root.texts[$0] } }

    /// What was recorded in English, in the table's language; as it was recorded where no string says it.
    func said(recorded text: String) -> String { recorded?.message(text).map { self($0) } ?? text }

    /// The string with that key with each `{name}` replaced.
    func callAsFunction(_ key: StringKey, _ values: KeyValuePairs<String, String>) -> String {
        self[key].filled { name in values.first { $0.key == name }?.value }
    }
}
