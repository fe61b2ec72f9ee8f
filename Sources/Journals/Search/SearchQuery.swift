/// The words of a search, which must all be present, in any order.
package struct SearchQuery: Sendable, Hashable {
    /// One term of a search: adjacent words, the last possibly a prefix.
    package struct Term: Sendable, Hashable {
        /// The folded words, separated by single spaces: several if what was typed as one word consists of several,
        /// such as `example.com`.
        package let words: String
        /// Whether the last word is a prefix.
        package let isPrefix: Bool
    }

    /// How many characters of the input are read, and how many terms.
    private static let maximum = (characters: 500, terms: 16)

    /// The minimum number of letters of a prefix; a single letter would match nearly everything, and slowly.
    private static let shortestPrefix = 2

    /// All terms; empty if the input has no words, which everything satisfies.
    package let terms: [Term]

    /// Reads the input: its first 500 characters and 16 words.
    package init(_ text: String) {
        let typed = text.prefix(Self.maximum.characters).split(whereSeparator: \.isWhitespace)
        let terms = typed.compactMap { typed in
            let words = SearchWords.folded(typed)
            let isPrefix = typed.hasSuffix("*") && (words.split(separator: " ").last?.count ?? 0) >= Self.shortestPrefix
            return words.isEmpty ? nil : Term(words: words, isPrefix: isPrefix)
        }
        self.terms = Array(terms.prefix(Self.maximum.terms))
    }

    /// Whether a folded text contains all terms.
    package func matches(folded text: String) -> Bool {
        let text = " \(text) "
        return terms.allSatisfy { term in text.contains(term.isPrefix ? " \(term.words)" : " \(term.words) ") }
    }
}
