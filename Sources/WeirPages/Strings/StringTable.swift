import Foundation
import Mustache
import WeirFlows
import WeirStates

/// The strings of a locale: for templates under `t`, for Swift code by key.
///
/// A string with tags, such as `Attempt {{attempt}}`, is rendered in the context in which it is used.
struct StringTable: Sendable {
    let texts: [String: String]
    private let root: StringSection
    /// The sentences recorded in English, or nil for English itself.
    private let recorded: RecordedSentences?

    /// Creates a table; missing keys fall back to another table.
    init(_ texts: [String: String], fallback: StringTable?) {
        self.texts = texts
        let all = (fallback?.texts ?? [:]).merging(texts) { $1 }
        root = StringSection(all)
        recorded = fallback.map { RecordedSentences($0.texts) }
    }

    var context: any MustacheParent { root }

    func optional(_ key: String) -> String? { root.texts[key] }

    /// The string of a key, or the marked key itself if there is no string.
    subscript(_ key: StringKey) -> String { root.texts[key.rawValue] ?? "\u{27E8}\(key.rawValue)\u{27E9}" }

    func callAsFunction(_ message: Message) -> String { message.said { root.texts[$0] } }

    /// A text recorded in English in the table's language, or unchanged if no sentence matches.
    func said(recorded text: String) -> String { recorded?.message(text).map { self($0) } ?? text }

    func callAsFunction(_ key: StringKey, _ values: KeyValuePairs<String, String>) -> String {
        self[key].filled { name in values.first { $0.key == name }?.value }
    }
}

/// The strings whose keys share a prefix: `t.nav` contains `t.nav.runs`.
struct StringSection: MustacheParent, Sendable {
    let texts: [String: String]
    private let children: [String: any Sendable]

    init(_ texts: [String: String]) {
        self.texts = texts
        var groups: [String: [String: String]] = [:]
        var children: [String: any Sendable] = [:]
        for (key, text) in texts {
            guard let dot = key.firstIndex(of: ".") else {
                children[key] = Self.leaf(text)
                continue
            }
            groups[String(key[..<dot]), default: [:]][String(key[key.index(after: dot)...])] = text
        }
        for (name, group) in groups where children[name] == nil { children[name] = StringSection(group) }
        self.children = children
    }

    func child(named name: String) -> Any? { children[name] }

    /// A text with tags becomes a template; one with unusable tags is kept as text, and `check()` reports it.
    private static func leaf(_ text: String) -> any Sendable {
        guard text.contains("{{"), problem(with: TemplateScanner(text)) == nil else { return text }
        do {
            return try MustacheTemplate(string: text)
        } catch {
            return text
        }
    }

    /// Why the tags of a text cannot be used, or nil if they can.
    ///
    /// A text that includes other texts or templates could include itself.
    static func problem(with scanner: TemplateScanner) -> String? {
        if let tag = scanner.forbidden.first?.tag { return "\(tag) is not supported in strings" }
        if scanner.tooDeep != nil { return "sections are nested too deep" }
        return TemplateTag.leadOn(scanner.tags) ? "a string cannot include templates or other strings" : nil
    }
}

/// The tables of all locales, read from `strings/<tag>.json`: one flat object of texts, one key per line.
struct StringTables: Sendable {
    let locales: [PageLocale]
    private let tables: [PageLocale: StringTable]
    let problems: [TemplateProblem]

    private static let known = Locked<[(layers: [TemplateSet.Table], tables: StringTables)]>([])

    /// Reads the layers of each table, unless they are among the last four; later layers override earlier ones key by key.
    init(_ layers: [TemplateSet.Table]) {
        if let known = Self.known.withLock({ $0.first { $0.layers == layers } }) {
            self = known.tables
            return
        }
        self.init(reading: layers)
        let tables = self
        Self.known.withLock { $0 = $0.suffix(3) + [(layers, tables)] }
    }

    private init(reading layers: [TemplateSet.Table]) {
        var texts: [PageLocale: [String: String]] = [:]
        var problems: [TemplateProblem] = []
        for layer in layers {
            guard let locale = PageLocale(layer.name), locale.tag == layer.name else {
                problems.append(
                    TemplateProblem(
                        file: layer.file, line: 0, message: "name the file for a locale, such as en.json or pt-BR.json")
                )
                continue
            }
            do {
                let read = try [String: String](json: Data(layer.text.utf8))
                texts[locale, default: [:]].merge(read) { $1 }
            } catch {
                problems.append(
                    TemplateProblem(
                        file: layer.file, line: 0, message: "must be a JSON object whose values are all strings"))
            }
        }
        let english = StringTable(texts[.english] ?? [:], fallback: nil)
        var tables: [PageLocale: StringTable] = [.english: english]
        for (locale, texts) in texts where locale != .english {
            tables[locale] = StringTable(texts, fallback: english)
        }
        self.tables = tables
        self.problems = problems
        locales = [.english] + tables.keys.filter { $0 != .english }.sorted()
    }

    /// The table of a locale, or English if the locale has none.
    subscript(locale: PageLocale) -> StringTable { tables[locale] ?? StringTable([:], fallback: tables[.english]) }

    /// The best locale for the header `Accept-Language` (RFC 9110, 12.5.4), or English if none matches.
    func best(for header: String) -> PageLocale {
        let wishes = header.split(separator: ",").prefix(20).enumerated().compactMap { index, wish in
            let parts = wish.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return parts.first.map { (tag: $0, quality: quality, index: index) }
        }
        let ordered = wishes.filter { $0.quality > 0 }.sorted { ($1.quality, $0.index) < ($0.quality, $1.index) }
        for wish in ordered {
            if let exact = locales.first(where: { $0.tag.lowercased() == wish.tag.lowercased() }) { return exact }
            let language = wish.tag.prefix { $0 != "-" }.lowercased()
            if let near = locales.first(where: { $0.language == language }) { return near }
        }
        return .english
    }
}

/// An identifier as words: `openingSession` becomes `Opening session`.
struct Humanized {
    let text: String

    init(_ name: String) {
        var words = ""
        for character in name {
            if character == "_" || character == "-" {
                words += " "
            } else if character.isUppercase, let last = words.last, last.isLowercase || last.isNumber {
                words += " " + character.lowercased()
            } else {
                words.append(character)
            }
        }
        text = words.prefix(1).uppercased() + words.dropFirst()
    }
}
