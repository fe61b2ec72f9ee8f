@testable import WeirCommand
@testable import WeirJournals

extension FuzzedParser {
    /// Files of settings, and texts of single ones.
    static let settings = FuzzedParser("settings", upTo: 1_024) { input in
        var input = input
        let chosen = input.choice(Setting.all.count)
        let text = input.text
        let file = SettingsFile(text: text, name: "weir.yml")
        for mistake in file.mistakes { expectSentence(mistake.description, upTo: 8_192) }
        for (key, entry) in file.entries {
            expect(Setting.named(key) != nil, "a setting \(key) that there is not")
            expect(Setting.named(key)?.mistake(in: entry.text) == nil, "a mistake in \(key) passed")
            expect(entry.line >= 1, "\(key) stands on line \(entry.line)")
        }
        if let mistake = Setting.all[chosen].mistake(in: text) { expectSentence(mistake, upTo: 8_192) }
    }

    /// What people search for.
    static let searches = FuzzedParser("searches", upTo: 1_024) { input in
        let lines = input.lines
        let typed = lines.first ?? ""
        let query = SearchQuery(typed)
        expect(query.terms.count <= 16, "\(query.terms.count) terms")
        for term in query.terms {
            expect(!term.words.isEmpty && !term.words.hasPrefix(" ") && !term.words.hasSuffix(" "), "“\(term.words)”")
            expect(SearchWords.folded(term.words) == term.words, "“\(term.words)” folds to other words")
        }
        let words = SearchWords.folded(lines.dropFirst().joined(separator: "\n"))
        expect(SearchWords.folded(words) == words, "“\(words)” folds to other words")
        _ = query.matches(folded: words)
        if !query.terms.contains(where: \.isPrefix) {
            let all = query.terms.map(\.words).joined(separator: " ")
            let isFound = query.matches(folded: all)
            expect(isFound != query.terms.isEmpty, "a search does not find what was searched for: “\(all)”")
        }
    }
}
