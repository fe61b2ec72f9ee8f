/// What a search asks for: words that must all be there, in any order.
public struct SearchQuery: Sendable, Hashable {
    /// One thing that must be there: words side by side, the last perhaps only begun.
    public struct Term: Sendable, Hashable {
        /// The folded words, separated by single spaces: more than one where what was typed as one word is several,
        /// such as `example.com`.
        public let words: String
        /// Whether the last word may go on.
        public let isPrefix: Bool
    }

    /// How many characters of what was typed are read, and how many terms.
    private static let maximum = (characters: 500, terms: 16)

    /// How many letters the beginning of a word has at least; a single one would find nearly everything, and slowly.
    private static let shortestPrefix = 2

    /// All that must be there; empty when what was typed has no words, which everything satisfies.
    public let terms: [Term]

    /// Reads what a person typed: its first 500 characters and 16 words.
    public init(_ text: String) {
        let typed = text.prefix(Self.maximum.characters).split(whereSeparator: \.isWhitespace)
        let terms = typed.compactMap { typed in
            let words = SearchWords.folded(typed)
            let isPrefix = typed.hasSuffix("*") && (words.split(separator: " ").last?.count ?? 0) >= Self.shortestPrefix
            return words.isEmpty ? nil : Term(words: words, isPrefix: isPrefix)
        }
        self.terms = Array(terms.prefix(Self.maximum.terms))
    }

    /// Whether a folded text has it all.
    public func matches(folded text: String) -> Bool {
        let text = " \(text) "
        return terms.allSatisfy { term in text.contains(term.isPrefix ? " \(term.words)" : " \(term.words) ") }
    }
}
