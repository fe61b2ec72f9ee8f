import Mustache

/// The file and line of each string of each locale.
struct StringPlaces {
    /// A string that contains tags, with its location.
    struct Tagged {
        let file: String
        let line: Int
        let tags: [TemplateTag]
    }

    private(set) var problems: [TemplateProblem] = []
    private var tagged: [String: [Tagged]] = [:]
    private var english: Set<String> = []

    /// Prefixes of keys that override texts of declarations, which the English table can omit.
    private static let overrides = [
        "operation.", "store.", "field.", "case.", "member.", "problem.", "system.", "language.",
    ]

    init(_ layers: [TemplateSet.Table], tables: StringTables) {
        var lines: [String: [String: (file: String, line: Int)]] = [:]
        for layer in layers {
            let places = Self.lines(of: layer)
            for (key, line) in places.twice {
                problems.append(
                    TemplateProblem(file: layer.file, line: line, message: "the key \(key) is defined twice"))
            }
            lines[layer.name, default: [:]].merge(places.first.mapValues { (layer.file, $0) }) { $1 }
        }
        english = Set(tables[.english].texts.keys)
        for locale in tables.locales {
            let texts = tables[locale].texts
            let file = "strings/\(locale.tag).json"
            for (key, text) in texts where text.contains("{{") {
                let place = lines[locale.tag]?[key] ?? (file, 0)
                let scanner = TemplateScanner(text)
                if let message = StringSection.problem(with: scanner) {
                    problems.append(TemplateProblem(file: place.file, line: place.line, message: "\(key): \(message)"))
                    continue
                }
                do {
                    _ = try MustacheTemplate(string: text)
                    tagged[key, default: []].append(Tagged(file: place.file, line: place.line, tags: scanner.tags))
                } catch {
                    let message = TemplateLibrary.problem(file, error).message
                    problems.append(TemplateProblem(file: place.file, line: place.line, message: "\(key): \(message)"))
                }
            }
            guard locale != .english else { continue }
            for key in english.subtracting(texts.keys) where !key.hasPrefix("operation.") && !key.hasPrefix("field.") {
                problems.append(TemplateProblem(file: file, line: 0, message: "the string \(key) is missing"))
            }
            for (key, text) in texts {
                guard let original = tables[.english].texts[key] else { continue }
                for value in Self.values(in: text).subtracting(Self.values(in: original)).sorted() {
                    let line = lines[locale.tag]?[key]?.line ?? 0
                    problems.append(
                        TemplateProblem(
                            file: file, line: line, message: "\(key): the English string has no place {\(value)}"))
                }
            }
            for key in Set(texts.keys).subtracting(english) where !Self.overrides.contains(where: key.hasPrefix) {
                let line = lines[locale.tag]?[key]?.line ?? 0
                problems.append(
                    TemplateProblem(
                        file: file, line: line, message: "English has no string \(key), so nothing uses it"))
            }
        }
        for key in StringKey.allCases where !english.contains(key.rawValue) {
            problems.append(
                TemplateProblem(file: "strings/en.json", line: 0, message: "the string \(key.rawValue) is missing"))
        }
    }

    func contains(_ key: String) -> Bool { english.contains(key) }

    /// The strings of a key that contain tags, in all locales.
    subscript(key: String) -> [Tagged] { tagged[key] ?? [] }

    private static func values(in text: String) -> Set<String> {
        guard text.contains("{"), !text.contains("{{") else { return [] }
        return Set(text.matches(of: /\{(\w+)\}/).map { String($0.1) })
    }

    private static func lines(of layer: TemplateSet.Table) -> (first: [String: Int], twice: [(String, Int)]) {
        var first: [String: Int] = [:]
        var twice: [(String, Int)] = []
        for (index, line) in layer.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].allSatisfy({ $0.isWhitespace || $0 == "{" }) else { continue }
            let key = String(parts[1])
            if first.updateValue(index + 1, forKey: key) != nil { twice.append((key, index + 1)) }
        }
        return (first, twice)
    }
}
