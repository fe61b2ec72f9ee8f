import Journals
import States

/// Answers a `RunQuery`: a condition for every filter, and the index of words if the query has words.
struct RunListing {
    private let connection: PostgresConnection
    private var conditions: [String] = []
    private var values: [any PostgresValue] = []
    private let query: RunQuery
    /// The maximum number of runs to return; one more is read, to know whether there is another page.
    private let limit: Int

    /// Prepares the conditions; nil if the query has a name that no run has.
    init?(_ query: RunQuery, _ connection: PostgresConnection) throws {
        self.connection = connection
        self.query = query
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
        if let isImported = query.isImported { conditions.append("r.epoch IS \(isImported ? "NOT " : "")NULL") }
        if let before = query.before { require("r.opened < $#", before.rawValue) }
        if let after = query.after { require("r.opened > $#", after.rawValue) }
        try limitToTime()
    }

    /// The page.
    func page() throws -> RunPage {
        let search = query.text.map(SearchQuery.init)
        let found =
            if let search, !search.terms.isEmpty {
                try matching(search)
            } else {
                try read("weir.runs r", conditions, values)
            }
        let runs = Array(found.prefix(limit))
        return RunPage(runs: runs, next: found.count > limit ? runs.last?.openedSequence : nil)
    }

    /// Adds a condition, whose value `$#` stands for.
    private mutating func require(_ condition: String, _ value: any PostgresValue) {
        values.append(value)
        conditions.append(condition.replacing("$#", with: "$\(values.count)"))
    }

    /// Adds the range of time, and the range of sequences in which its runs were opened.
    private mutating func limitToTime() throws {
        guard query.startedAfter != nil || query.startedBefore != nil else { return }
        let (first, last) = (query.startedAfter?.milliseconds ?? .min, query.startedBefore?.milliseconds ?? .max)
        require("r.started >= $#", first)
        require("r.started < $#", last)
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
            order: "ORDER BY r.opened \(query.isOldestFirst ? "ASC" : "DESC")", limit: "LIMIT $\(values.count)")
    }

    // MARK: With words

    private func matching(_ search: SearchQuery) throws -> [RunRecord] {
        let place = values.count
        var (all, phrases): ([any PostgresValue], [Int]) = ([], [])
        for (index, term) in search.terms.enumerated() {
            all.append(" \(term.words)" + (term.isPrefix ? "" : " "))
            // A single short word is in the index just as it is.
            if term.words.contains(" ") || term.words.utf8.count > RunWords.longestLexeme { phrases.append(index) }
        }
        let contains = { (index: Int) in "position($\(place + 2 + index) in ' ' || x.words || ' ') > 0" }
        let byIndex = ["x.lexemes @@ $\(place + 1)::text::tsquery"] + phrases.map(contains)
        let byWords = ["x.lexemes IS NULL"] + search.terms.indices.map(contains)
        let condition = "((\(byIndex.joined(separator: " AND "))) OR (\(byWords.joined(separator: " AND "))))"
        let values = values + [RunWords.expression(search)] + all
        let indexed = try read(
            "weir.run_text x JOIN weir.runs r ON r.opened = x.opened", conditions + [condition], values)
        let waiting = try RunReader(connection).runs(
            where: (conditions + ["(r.ended IS NULL OR (NOT r.indexed AND r.ended IS NOT NULL))"]).joined(
                separator: " AND "), self.values
        ).filter { search.matches(folded: try RunWords.text(of: $0, connection).words) }
        let isOldestFirst = query.isOldestFirst
        return (indexed + waiting).sorted {
            isOldestFirst ? $0.openedSequence < $1.openedSequence : $0.openedSequence > $1.openedSequence
        }
    }
}
