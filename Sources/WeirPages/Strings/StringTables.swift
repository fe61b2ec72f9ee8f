import Foundation
import WeirStates

/// The tables of all locales, read from `strings/<tag>.json`: one flat object of texts by key, one key a line.
struct StringTables: Sendable {
    let locales: [PageLocale]
    private let tables: [PageLocale: StringTable]
    /// What is wrong with the files as such.
    let problems: [TemplateProblem]

    /// Reads the layers of each table; a later layer's keys take the place of an earlier one's.
    init(_ layers: [TemplateSet.Table]) {
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

    /// The table of a locale; English for a locale that has none.
    subscript(locale: PageLocale) -> StringTable { tables[locale] ?? StringTable([:], fallback: tables[.english]) }

    /// The best locale for the header `Accept-Language` (RFC 9110, 12.5.4), English if none fits.
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
