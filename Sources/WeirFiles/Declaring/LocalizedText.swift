/// A text for people, in one language or several.
package struct LocalizedText: Sendable, Hashable {
    /// The texts by language tag; empty where only one was given, for every language.
    package let texts: [String: String]
    /// The English text, or the first.
    package let text: String

    /// A text for every language.
    package init(_ text: String) {
        self.text = text
        texts = [:]
    }

    /// A text of Weir's own, in each of its languages.
    init(en: String, ptBR: String, es: String) { self.init(texts: ["en": en, "pt-BR": ptBR, "es": es], first: en) }

    private init(texts: [String: String], first: String) {
        self.texts = texts
        text = texts["en"] ?? first
    }

    /// Reads what a file has; nil if that is no such text.
    init?(_ value: FileValue?) {
        if let text = value?.text {
            self.init(text)
        } else if let members = value?.members {
            let texts = members.compactMap { member in member.value.text.map { (member.name, $0) } }
            guard let first = texts.first else { return nil }
            self.init(texts: Dictionary(texts) { $1 }, first: first.1)
        } else {
            return nil
        }
    }

    /// Whether a text is a language tag as operation files use it: `en`, `pt-BR`.
    static func isLanguage(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count), parts.count <= 2 else { return false }
        let isRegion = parts.dropFirst().allSatisfy {
            $0.utf8.count == 2 && $0.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains)
        }
        return isRegion && language.utf8.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
    }
}
