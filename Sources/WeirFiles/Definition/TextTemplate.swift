import WeirBoards

/// A text with placeholders, such as `dumps/{{database}}.dump`, whose inserted values are not interpreted.
struct TextTemplate: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case text(String)
        case field(String)
    }

    let parts: [Part]

    var fields: [String] {
        parts.compactMap { part in
            guard case .field(let name) = part else { return nil }
            return name
        }
    }

    var beginsWithField: Bool {
        guard case .field = parts.first else { return false }
        return true
    }

    /// Parses a text; throws a sentence that describes the invalid placeholder.
    init(_ text: String) throws(Mistake) {
        guard let pieces = BracedText.parts(of: text) else {
            throw Mistake("A field that begins with {{ must end with }}. \(BracedText.escape)")
        }
        var parts: [Part] = []
        for piece in pieces {
            switch piece {
            case .text(let text): parts.append(.text(text))
            case .name(let braced):
                let name = Substring(braced).trimmingSpaces
                guard Shape.isName(name, limit: 40) || StepScope.isValue(name) else {
                    throw Mistake(
                        "“{{\(name.prefix(40))}}” is no field: write the name of an input, such as {{database}}. "
                            + BracedText.escape)
                }
                parts.append(.field(name))
            }
        }
        self.parts = parts
    }

    init(verbatim text: String) { parts = [.text(text)] }

    /// The text with values in place of placeholders, or nil if one is missing.
    func filled(_ value: (String) -> String?) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .text(let fixed): text += fixed
            case .field(let name):
                guard let value = value(name) else { return nil }
                text += value
            }
        }
        return text
    }

    /// The text with absent values as empty ones, or nil if it has placeholders and all their values are absent.
    func filledInPart(_ value: (String) -> String?) -> String? {
        guard fields.isEmpty || fields.contains(where: { value($0) != nil }) else { return nil }
        return filled { value($0) ?? "" }
    }

    struct Mistake: Error {
        let sentence: String

        init(_ sentence: String) { self.sentence = sentence }
    }
}

extension Substring {
    var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// A text for users in one or several languages.
package struct LocalizedText: Sendable, Hashable {
    /// The texts by language tag, or empty if the file has a single text.
    package let texts: [String: String]
    /// The English text, or else the first.
    package let text: String

    init(_ text: String) {
        self.text = text
        texts = [:]
    }

    /// A built-in text in all supported languages.
    init(en: String, ptBR: String, es: String) { self.init(texts: ["en": en, "pt-BR": ptBR, "es": es], first: en) }

    private init(texts: [String: String], first: String) {
        self.texts = texts
        text = texts["en"] ?? first
    }

    /// Reads a value of a file, in which `{{{{` is an escaped `{{`; nil if it is not a text.
    init?(_ value: FileValue?) {
        let plain = { (text: String) in BracedText.plain(text) ?? text }
        if let text = value?.text {
            self.init(plain(text))
        } else if let members = value?.members {
            let texts = members.compactMap { member in member.value.text.map { (member.name, plain($0)) } }
            guard let first = texts.first else { return nil }
            self.init(texts: Dictionary(texts) { $1 }, first: first.1)
        } else {
            return nil
        }
    }

    /// Whether a text is a language tag such as `en` or `pt-BR`.
    static func isLanguage(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count), parts.count <= 2 else { return false }
        let isRegion = parts.dropFirst().allSatisfy {
            $0.utf8.count == 2 && $0.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains)
        }
        return isRegion && language.utf8.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
    }
}
