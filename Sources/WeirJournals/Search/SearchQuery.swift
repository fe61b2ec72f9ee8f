/// The terms of a search, which must all be present, in any order.
///
/// A term of three characters or more is found anywhere, also within words. A shorter one, or one in quotes, is found as
/// whole words only. Two letters or more and `*` match all words with that prefix. Accents and case do not matter.
package struct SearchQuery: Sendable, Hashable {
    /// One term of a search: adjacent words, of which the first and the last can be parts of words.
    package struct Term: Sendable, Hashable {
        /// The folded words, separated by single spaces: several if what was typed as one word consists of several,
        /// such as `example.com`.
        package let words: String
        /// Where it is found.
        package let scope: Scope
        /// The operations whose name has it: it is found in all their runs.
        package let operations: Set<String>

        /// Whether the last word is a prefix.
        package var isPrefix: Bool { scope == .beginning }

        /// The characters that a folded text between spaces contains where it has the term.
        package var pattern: String {
            switch scope {
            case .anywhere: words
            case .beginning: " \(words)"
            case .words: " \(words) "
            }
        }
    }

    /// Where a term is found.
    package enum Scope: Sendable, Hashable {
        /// As whole words.
        case words
        /// As the beginning of words.
        case beginning
        /// Within words, too.
        case anywhere
    }

    /// How many characters of the input are read, and how many terms.
    private static let maximum = (characters: 500, terms: 16)

    /// The minimum number of letters of a prefix; a single letter would match nearly everything, and slowly.
    private static let shortestPrefix = 2

    /// The minimum number of characters of what is found within words; shorter parts would be found nearly everywhere.
    private static let shortestPart = 3

    /// All terms; empty if the input has no words, which everything satisfies.
    package let terms: [Term]

    /// Reads the input: its first 500 characters and 16 words.
    ///
    /// - Parameters:
    ///   - text: What was typed.
    ///   - operationNames: What operations are called, by their ids.
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

    private static func scope(of typed: Substring, _ words: String) -> Scope {
        if typed.hasSuffix("*") {
            return (words.split(separator: " ").last?.count ?? 0) >= shortestPrefix ? .beginning : .words
        }
        if typed.count > 1, typed.hasPrefix("\""), typed.hasSuffix("\"") { return .words }
        return words.unicodeScalars.count >= shortestPart ? .anywhere : .words
    }

    /// Whether the folded text of a run, or its operation's name, contains all terms.
    package func matches(folded text: String, of operation: String = "") -> Bool {
        let text = " \(text) "
        return terms.allSatisfy { $0.operations.contains(operation) || text.contains($0.pattern) }
    }
}
