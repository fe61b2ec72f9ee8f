import WeirStates

/// What comes with operations that files declare: templates of their states, and texts in several languages.
///
/// They lie between the bundled templates and strings and those of a folder of one's own, which override them.
package struct DeclaredTexts: Sendable {
    /// Templates by path, such as `operations/backup/dumping.mustache`.
    package var templates: [String: String] = [:]
    /// Texts by the key of their string, and then by language.
    package var texts: [String: [String: String]] = [:]
    /// What is wrong with the files.
    package var problems: [TemplateProblem] = []

    /// Nothing.
    package init() {}

    /// A table for each language that pages have, each with every text: in that language, in a related one, in English, or
    /// in the first there is.
    ///
    /// A language that only the texts have makes no table: pages would be in English but for a few words.
    func tables(languages: Set<String>) -> [TemplateSet.Table] {
        guard !texts.isEmpty else { return [] }
        return languages.sorted().map { language in
            let chosen = texts.compactMapValues { Self.text($0, in: language).map(JSONValue.string) }
            let text = (try? JSONValue.object(chosen).text()) ?? "{}"
            return TemplateSet.Table(name: language, file: "operations", text: text)
        }
    }

    private static func text(_ texts: [String: String], in language: String) -> String? {
        let base = { (tag: String) in tag.prefix { $0 != "-" } }
        return texts[language] ?? texts.sorted { $0.key < $1.key }.first { base($0.key) == base(language) }?.value
            ?? texts["en"] ?? texts.min { $0.key < $1.key }?.value
    }
}
