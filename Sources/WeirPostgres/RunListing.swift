import WeirFlows
import WeirJournals
import WeirStates

/// Executes a `RunQuery`: SQL conditions for the filters, and the word index for the text.
struct RunListing {
    private let connection: PostgresConnection
    private var conditions: [String] = []
    private var values: [any PostgresValue] = []
    private let query: RunQuery
    /// The maximum number of runs to return; one more is read to detect a further page.
    private let limit: Int
    /// The time limit of a search; nil for a query without text.
    private let budget: WorkBudget?

    /// Prepares the conditions; nil if the query has a name that no run has.
    init?(_ query: RunQuery, _ connection: PostgresConnection, _ budget: WorkBudget? = nil) throws {
        self.connection = connection
        self.query = query
        self.budget = budget
        limit = min(max(0, query.limit), Int(Int32.max))
        let names = Names(connection)
        if let operation = query.operation {
            guard let number = try names.number(of: operation) else { return nil }
            require("r.operation = $#", number)
        }
        if let operations = query.operations {
            let numbers = try operations.sorted().compactMap { try names.number(of: $0) }
            guard !numbers.isEmpty else { return nil }
            require("r.operation = ANY ($#)", numbers)
        }
        if let phase = query.phase { require("r.phase = $#", JournalCode.code(of: phase)) }
        if let actor = query.actor {
            guard let number = try names.number(of: actor) else { return nil }
            require("r.actor = $#", number)
        }
        for (condition, value) in query.comparisons { require(condition.replacing("#", with: "$#"), value) }
        if let isImported = query.isImported { conditions.append("r.epoch IS \(isImported ? "NOT " : "")NULL") }
        if let beyond = query.beyond, let key {
            values += [beyond.key, beyond.opened]
            let place = "($\(values.count - 1), $\(values.count))"
            conditions.append("(\(key), r.opened) \(query.isOldestFirst ? ">" : "<") \(place)")
        }
        try limitToTime()
    }

    func page() throws -> RunPage {
        let found =
            if let search = query.search {
                search.terms.isEmpty ? [] : try matching(search)
            } else {
                try read("weir.runs r", conditions, values)
            }
        let runs = Array(found.prefix(limit))
        return RunPage(runs: runs, next: found.count > limit ? runs.last?.openedSequence : nil)
    }

    /// Adds a condition in which `$#` is the placeholder of the value.
    private mutating func require(_ condition: String, _ value: any PostgresValue) {
        values.append(value)
        conditions.append(condition.replacing("$#", with: "$\(values.count)"))
    }

    /// Adds the range of sequences that were opened in the range of time.
    private mutating func limitToTime() throws {
        guard query.startedAfter != nil || query.startedBefore != nil else { return }
        let (first, last) = (query.startedAfter?.milliseconds ?? .min, query.startedBefore?.milliseconds ?? .max)
        let bits = PostgresSchema.blockBits
        let blocks = try connection.first(
            "SELECT min(block), max(block) FROM weir.blocks WHERE latest >= $1 AND earliest < $2", [first, last]
        ) { (first: $0.integer(0) << bits, last: $0.integer(1) << bits | ((1 << bits) - 1)) }
        require("r.opened >= $#", blocks?.first ?? 0)
        require("r.opened <= $#", blocks?.last ?? 0)
    }

    private func read(
        _ source: String, _ conditions: [String], _ values: [any PostgresValue]
    ) throws -> [RunRecord] {
        let values = values + [limit + 1]
        return try RunReader(connection).runs(
            from: source, where: conditions.isEmpty ? "true" : conditions.joined(separator: " AND "), values,
            order: "ORDER BY \(key.map { "\($0) \(order), " } ?? "")r.opened \(order)",
            limit: "LIMIT $\(values.count)")
    }

    private var order: String { query.isOldestFirst ? "ASC" : "DESC" }

    /// The sort expression; nil for the start, which is the order of the table.
    private var key: String? {
        switch query.order {
        case .started: nil
        case .duration:
            if let moment = query.asOf {
                "(CASE WHEN r.ended_sequence <= \(moment.head) THEN r.ended ELSE \(moment.at.milliseconds) END::numeric - r.started)"
            } else {
                "coalesce(r.ended::numeric - r.started, \(Int64.max))"
            }
        case .phase:
            if let head = query.asOf?.head {
                "CASE WHEN r.ended_sequence <= \(head) THEN r.phase::bigint ELSE \(JournalCode.code(of: .active)) END"
            } else {
                "r.phase::bigint"
            }
        }
    }

    // MARK: With text

    private func matching(_ search: SearchQuery) throws -> [RunRecord] {
        // Terms that the index finds come first, then those that require reading the words of runs.
        var terms = search.terms
        let indexed = terms[..<terms.partition { $0.scope == .anywhere || !$0.operations.isEmpty }]
        var values = values
        var contains: [String] = []
        let names = Names(connection)
        for term in terms {
            values.append(term.pattern)
            let words = term.scope == .anywhere ? "x.words" : "' ' || x.words || ' '"
            let within = "position($\(values.count) in \(words)) > 0"
            let numbers = try term.operations.sorted().compactMap { try names.number(of: $0) }
            if !numbers.isEmpty { values.append(numbers) }
            contains.append(numbers.isEmpty ? within : "(r.operation = ANY ($\(values.count)) OR \(within))")
        }
        var condition = contains.isEmpty ? "true" : contains.joined(separator: " AND ")
        if !indexed.isEmpty {
            values.append(RunWords.expression(indexed))
            // A single short word is stored in the index unmodified.
            let isWhole = { (term: SearchQuery.Term) in
                !term.words.contains(" ") && term.words.utf8.count <= RunWords.longestLexeme
            }
            let others = terms.indices.filter { !(indexed.indices.contains($0) && isWhole(terms[$0])) }
            let byIndex = ["x.lexemes @@ $\(values.count)::text::tsquery"] + others.map { contains[$0] }
            condition = "((\(byIndex.joined(separator: " AND "))) OR (x.lexemes IS NULL AND \(condition)))"
        }
        let ended = try read(
            "weir.run_text x JOIN weir.runs r ON r.opened = x.opened", conditions + [condition], values)
        let waiting = try RunReader(connection).runs(
            where: (conditions + ["(r.ended IS NULL OR (NOT r.indexed AND r.ended IS NOT NULL))"]).joined(
                separator: " AND "), self.values
        ).filter { run in
            try budget?.check()
            return search.matches(folded: try RunWords.text(of: run, connection).words, of: run.operation)
        }
        return (ended + waiting).sorted(by: query.precedes)
    }
}

/// The full-text index of ended runs: selects runs to index, and builds queries.
enum RunWords {
    /// The maximum length of a word in the index, in bytes.
    static let longestLexeme = 200
    /// The number of runs, and the approximate number of bytes of text, that are indexed together while other writes
    /// wait.
    private static let (batch, byteLimit) = (200, 1_024 * 1_024)
    /// The maximum number of bytes of distinct words of a run: a `tsvector` is limited to a megabyte.
    private static let most = 900_000

    struct Entry: Sendable {
        let stream: SequenceNumber
        let sequence: SequenceNumber
        let lines: SequenceNumber
        let words: String
        /// The distinct truncated words, separated by spaces; nil if they are too large for the index.
        let lexemes: String?
    }

    /// Some of the ended runs that are not indexed yet, with their words.
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

    static func text(of run: RunRecord, _ connection: PostgresConnection) throws -> RunText {
        var text = RunText(run)
        guard run.endedAt != nil else { return text }
        let output = OutputReader(connection)
        try text.addOutput(count: output.count(of: run.id)) { try output.line($0, ofStream: run.openedSequence) }
        return text
    }

    /// The terms as a `tsquery`: all words, some of them prefixes.
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

    /// Truncates a word to the maximum length, between two scalars.
    private static func cut(_ word: Substring) -> Substring {
        guard word.utf8.count > longestLexeme else { return word }
        var end = word.utf8.index(word.startIndex, offsetBy: longestLexeme)
        while word.utf8[end] & 0b1100_0000 == 0b1000_0000 { end = word.utf8.index(before: end) }
        return word[..<end]
    }
}
