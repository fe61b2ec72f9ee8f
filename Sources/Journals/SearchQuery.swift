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

    /// All that must be there; empty when what was typed has no words, which everything satisfies.
    public let terms: [Term]

    /// Reads what a person typed.
    public init(_ text: String) {
        terms = text.split(whereSeparator: \.isWhitespace).compactMap { typed in
            let words = SearchWords.folded(typed)
            return words.isEmpty ? nil : Term(words: words, isPrefix: typed.hasSuffix("*"))
        }
    }

    /// Whether a folded text has it all.
    public func matches(folded text: String) -> Bool {
        let text = " \(text) "
        return terms.allSatisfy { term in text.contains(term.isPrefix ? " \(term.words)" : " \(term.words) ") }
    }
}
