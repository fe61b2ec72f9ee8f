/// The terms of a search; all must match, in any order.
///
/// A term of three characters or more matches anywhere, also within words. A shorter or quoted term matches whole
/// words only. Two letters or more followed by `*` match all words with that prefix. Accents and case are ignored.
package struct SearchQuery: Sendable, Hashable {
    /// A term: adjacent words, whose first and last may be parts of words.
    package struct Term: Sendable, Hashable {
        /// The folded words, separated by single spaces: several if the typed word splits into several, such as
        /// `example.com`.
        package let words: String
        package let scope: Scope
        /// The operations whose display name contains the term, which matches all their runs.
        package let operations: Set<String>

        package var isPrefix: Bool { scope == .beginning }

        /// The substring of a space-delimited folded text that matches the term.
        package var pattern: String {
            switch scope {
            case .anywhere: words
            case .beginning: " \(words)"
            case .words: " \(words) "
            }
        }
    }

    package enum Scope: Sendable, Hashable {
        case words
        /// Beginnings of words.
        case beginning
        /// Anywhere, including within words.
        case anywhere
    }

    /// The maximum number of characters and terms of the input.
    private static let maximum = (characters: 500, terms: 16)

    /// The minimum length of a prefix; a single letter would match nearly everything, and slowly.
    private static let shortestPrefix = 2

    /// The minimum length of a match within words; shorter ones would match nearly everywhere.
    private static let shortestPart = 3

    /// All terms; empty if the input has no words, which matches no run.
    package let terms: [Term]

    /// Parses the input, up to 500 characters and 16 words.
    ///
    /// - Parameters:
    ///   - text: The input.
    ///   - operationNames: The display names of operations by id.
    package init(_ text: String, operationNames: [String: String] = [:]) {
        let names = operationNames.mapValues { " \(SearchWords.folded($0)) " }
        let typed = text.prefix(Self.maximum.characters).split(whereSeparator: \.isWhitespace)
        let terms = typed.compactMap { typed in
            let words = SearchWords.folded(typed)
            guard !words.isEmpty else { return Term?.none }
            let scope = Self.scope(of: typed, words)
            let term = Term(words: words, scope: scope, operations: [])
            let named = names.filter { $0.value.contains(term.pattern) }.keys
            return Term(words: words, scope: scope, operations: Set(named))
        }
        self.terms = Array(terms.prefix(Self.maximum.terms))
    }

    /// Whether a text has words to search for, and none beyond the limits.
    package static func isWhole(_ text: String) -> Bool {
        text.count <= maximum.characters && text.split(whereSeparator: \.isWhitespace).count <= maximum.terms
            && !SearchWords.folded(text).isEmpty
    }

    private static func scope(of typed: Substring, _ words: String) -> Scope {
        if typed.hasSuffix("*") {
            return (words.split(separator: " ").last?.count ?? 0) >= shortestPrefix ? .beginning : .words
        }
        if typed.count > 1, typed.hasPrefix("\""), typed.hasSuffix("\"") { return .words }
        return words.unicodeScalars.count >= shortestPart ? .anywhere : .words
    }

    /// Whether the folded text of a run, or its operation's name, matches all terms.
    package func matches(folded text: String, of operation: String = "") -> Bool {
        let text = " \(text) "
        return !terms.isEmpty && terms.allSatisfy { $0.operations.contains(operation) || text.contains($0.pattern) }
    }
}
