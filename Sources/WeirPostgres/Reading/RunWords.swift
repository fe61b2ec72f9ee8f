import WeirJournals
import WeirStates

/// The words by which ended runs are found: which of them wait, and how they stand in the index.
enum RunWords {
    /// How many bytes of a word the index holds.
    static let longestLexeme = 200
    /// How many runs are indexed together, and about how many bytes of text at most, as other writes wait meanwhile.
    private static let (batch, byteLimit) = (200, 1_024 * 1_024)
    /// The most bytes of different words that the index holds of a run: a `tsvector` is limited to a megabyte.
    private static let most = 900_000

    /// The words of a run.
    struct Entry: Sendable {
        let stream: SequenceNumber
        let sequence: SequenceNumber
        let lines: SequenceNumber
        let words: String
        /// The different words, cut, separated by spaces; nil for too many.
        let lexemes: String?
    }

    /// Some of the ended runs that are not in the index yet, with their words.
    static func waiting(_ connection: PostgresConnection) throws -> [Entry] {
        let runs = try RunReader(connection).runs(
            where: "NOT r.indexed AND r.ended IS NOT NULL", [batch], limit: "LIMIT $1")
        var entries: [Entry] = []
        var bytes = 0
        for run in runs where bytes < byteLimit {
            let words = try text(of: run, connection).words
            bytes += words.utf8.count
            entries.append(
                Entry(
                    stream: run.openedSequence, sequence: run.sequence,
                    lines: try OutputReader(connection).count(of: run.id),
                    words: words, lexemes: lexemes(of: words)))
        }
        return entries
    }

    /// The text by which a run is found.
    static func text(of run: RunRecord, _ connection: PostgresConnection) throws -> RunText {
        var text = RunText(run)
        guard run.endedAt != nil else { return text }
        let output = OutputReader(connection)
        try text.addOutput(count: output.count(of: run.id)) { try output.line($0, ofStream: run.openedSequence) }
        return text
    }

    /// The search as PostgreSQL reads it: all words, of which some are beginnings.
    static func expression(_ terms: some Sequence<SearchQuery.Term>) -> String {
        terms.flatMap { term in
            let words = term.words.split(separator: " ")
            return words.enumerated().map { place, word in
                "'\(cut(word))'" + (term.isPrefix && place == words.count - 1 ? ":*" : "")
            }
        }.joined(separator: " & ")
    }

    private static func lexemes(of words: String) -> String? {
        let all = Set(words.split(separator: " ").map { String(cut($0)) })
        guard all.reduce(0, { $0 + $1.utf8.count + 8 }) < most else { return nil }
        return all.joined(separator: " ")
    }

    /// A word without what is beyond the longest lexeme, between two scalars.
    private static func cut(_ word: Substring) -> Substring {
        guard word.utf8.count > longestLexeme else { return word }
        var end = word.utf8.index(word.startIndex, offsetBy: longestLexeme)
        while word.utf8[end] & 0b1100_0000 == 0b1000_0000 { end = word.utf8.index(before: end) }
        return word[..<end]
    }
}
