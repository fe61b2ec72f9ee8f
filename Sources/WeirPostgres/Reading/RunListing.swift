import WeirFlows
import WeirJournals
import WeirStates

/// Answers a `RunQuery`: a condition for every filter, and the index of words if the query has words.
struct RunListing {
    private let connection: PostgresConnection
    private var conditions: [String] = []
    private var values: [any PostgresValue] = []
    private let query: RunQuery
    /// The maximum number of runs to return; one more is read, to know whether there is another page.
    private let limit: Int
    /// How long the search may take; nil for a query without words.
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
        if let isImported = query.isImported { conditions.append("r.epoch IS \(isImported ? "NOT " : "")NULL") }
        if let before = query.before { require("r.opened < $#", before.rawValue) }
        if let after = query.after { require("r.opened > $#", after.rawValue) }
        if let beyond = query.beyond, let key {
            values += [beyond.key, beyond.opened]
            let place = "($\(values.count - 1), $\(values.count))"
            conditions.append("(\(key), r.opened) \(query.isOldestFirst ? ">" : "<") \(place)")
        }
        try limitToTime()
    }

    /// The page.
    func page() throws -> RunPage {
        let found =
            if let search = query.search {
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
            order: "ORDER BY \(key.map { "\($0) \(order), " } ?? "")r.opened \(order)",
            limit: "LIMIT $\(values.count)")
    }

    private var order: String { query.isOldestFirst ? "ASC" : "DESC" }

    /// The value by which the list is ordered; nil for the start, which is the order of the table.
    private var key: String? {
        switch query.order {
        case .started: nil
        case .duration: "coalesce(r.ended::numeric - r.started, \(Int64.max))"
        case .phase: "r.phase::bigint"
        }
    }

    // MARK: With words

    private func matching(_ search: SearchQuery) throws -> [RunRecord] {
        // The terms that the index of words finds come first, then those for which the words of runs are read.
        var terms = search.terms
        let indexed = terms[..<terms.partition { $0.scope == .anywhere || !$0.operations.isEmpty }]
        var values = values
        var contains: [String] = []
        let names = Names(connection)
        for term in terms {
            values.append(term.pattern)
            let within = "position($\(values.count) in ' ' || x.words || ' ') > 0"
            let numbers = try term.operations.sorted().compactMap { try names.number(of: $0) }
            if !numbers.isEmpty { values.append(numbers) }
            contains.append(numbers.isEmpty ? within : "(r.operation = ANY ($\(values.count)) OR \(within))")
        }
        var condition = contains.isEmpty ? "true" : contains.joined(separator: " AND ")
        if !indexed.isEmpty {
            values.append(RunWords.expression(indexed))
            // A single short word is in the index just as it is.
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
