import GRDB
import WeirFlows
import WeirStates

/// Executes a `RunQuery`: SQL conditions for the filters, and the word index for the text.
struct RunListing {
    private let database: Database
    private var conditions: [String] = []
    private var values: [any SQLValue] = []
    private var marks: [String] = []
    private let query: RunQuery
    /// The maximum number of runs to return; one more is read to detect a further page.
    private let limit: Int
    /// The time limit of a search; nil for a query without text.
    private let budget: WorkBudget?

    /// Prepares the conditions; nil if the query has a name that no run has.
    init?(_ query: RunQuery, _ database: Database, _ budget: WorkBudget? = nil) throws {
        self.database = database
        self.query = query
        self.budget = budget
        limit = min(max(0, query.limit), Int(Int32.max))
        if let operation = query.operation {
            guard let number = try NameTable.number(of: operation, in: database) else { return nil }
            require("r.operation = ?", number)
            marks.append("o\(number)")
        }
        if let operations = query.operations {
            let numbers = try operations.sorted().compactMap { try NameTable.number(of: $0, in: database) }
            guard !numbers.isEmpty else { return nil }
            conditions.append("r.operation IN (\(numbers.map { String($0) }.joined(separator: ", ")))")
        }
        if let phase = query.phase {
            require("r.phase = ?", JournalCode.code(of: phase))
            marks.append("p\(JournalCode.code(of: phase))")
        }
        if let actor = query.actor {
            guard let number = try NameTable.number(of: actor, in: database) else { return nil }
            require("r.actor = ?", number)
            marks.append("a\(number)")
        }
        for (condition, value) in query.comparisons { require(condition.replacing("#", with: "?"), value) }
        if let isImported = query.isImported { conditions.append("r.epoch IS \(isImported ? "NOT " : "")NULL") }
        if let beyond = query.beyond, let key {
            conditions.append("(\(key), r.opened) \(query.isOldestFirst ? ">" : "<") (?, ?)")
            values += [beyond.key, beyond.opened.rawValue]
        }
    }

    func page() throws -> RunPage {
        let found: [RunRecord] =
            if let search = query.search {
                search.terms.isEmpty ? [] : try matching(search)
            } else {
                try byConditions()
            }
        let runs = Array(found.prefix(limit))
        return RunPage(runs: runs, next: found.count > limit ? runs.last?.openedSequence : nil)
    }

    private mutating func require(_ condition: String, _ value: Int64) {
        conditions.append(condition)
        values.append(value)
    }

    private var order: String { query.isOldestFirst ? "ASC" : "DESC" }

    /// The sort expression; nil for the start, which is the order of the table.
    private var key: String? {
        switch query.order {
        case .started: nil
        case .duration:
            if let moment = query.asOf {
                "iif(r.ended IS NULL OR r.sequence > \(moment.head), \(moment.at.milliseconds), r.ended) - r.started"
            } else {
                "iif(r.ended IS NULL, \(Int64.max), r.ended - r.started)"
            }
        case .phase:
            if let head = query.asOf?.head {
                "iif(r.ended IS NULL OR r.sequence > \(head), \(JournalCode.code(of: .active)), r.phase)"
            } else {
                "r.phase"
            }
        }
    }

    private var rest: String {
        "ORDER BY \(key.map { "\($0) \(order), " } ?? "")r.opened \(order) LIMIT ?"
    }

    // MARK: Without text

    private func byConditions() throws -> [RunRecord] {
        let reader = RunReader(database)
        guard query.startedAfter != nil || query.startedBefore != nil, key == nil else {
            return try reader.runs(where: all(conditions), values + [limit + 1], rest: rest)
        }
        let bits = JournalSchema.blockBits
        let blocks = ["b.latest >= ?", "b.earliest < ?", "b.block <= ?", "b.block >= ?"]
        let within = "r.opened BETWEEN b.block << \(bits) AND (b.block << \(bits)) + \((1 << bits) - 1)"
        let bounds: [any SQLValue] = [
            query.startedAfter?.milliseconds ?? .min, query.startedBefore?.milliseconds ?? .max,
            (query.before ?? .max).rawValue >> bits, (query.after ?? .zero).rawValue >> bits,
        ]
        return try reader.runs(
            from: "blocks b CROSS JOIN runs r", where: all(blocks + [within] + conditions),
            bounds + values + [limit + 1], rest: "ORDER BY b.block \(order), r.opened \(order) LIMIT ?")
    }

    // MARK: With text

    private func matching(_ search: SearchQuery) throws -> [RunRecord] {
        let range = try openedRange()
        let (indexed, read) = try split(search)
        let bounds: [any SQLValue] = [range.lowerBound, range.upperBound]
        let ended: [RunRecord]
        if indexed.isEmpty {
            // The words are read from the table below the index, which takes a quarter of the time. Runs come first if a
            // filter excludes some of them: their words are not read.
            let parts = try read.map { try condition($0, in: "x.c0") }
            let text = "\(RunTextIndex.words) x"
            ended = try RunReader(database).runs(
                from: conditions.isEmpty ? "\(text) CROSS JOIN runs r" : "runs r CROSS JOIN \(text)",
                where: all(["x.id BETWEEN ? AND ?", "r.opened = x.id"] + conditions + parts.map(\.text)),
                bounds + values + parts.map(\.pattern) + [limit + 1], rest: rest)
        } else {
            let parts = try read.map { try condition($0, in: "run_text.words") }
            let within = ["run_text MATCH ?", "run_text.rowid BETWEEN ? AND ?", "r.opened = run_text.rowid"]
            ended = try RunReader(database).runs(
                from: "run_text CROSS JOIN runs r", where: all(within + conditions + parts.map(\.text)),
                [try expression(indexed)] + bounds + values + parts.map(\.pattern) + [limit + 1],
                rest: key == nil ? "ORDER BY run_text.rowid \(order) LIMIT ?" : rest)
        }
        let index = RunTextIndex(database)
        let waiting = try RunReader(database)
            .runs(from: RunReader.withoutText, where: all(["r.indexed = 0"] + conditions), values)
            .filter { run in
                try budget?.check()
                return search.matches(folded: try index.text(of: run).words, of: run.operation)
            }
        return (ended + waiting).sorted(by: query.precedes)
    }

    /// Splits the terms into those that the index finds and those that require reading the words of runs.
    private func split(_ search: SearchQuery) throws -> (indexed: [SearchQuery.Term], read: [SearchQuery.Term]) {
        var terms = search.terms
        let place = terms.partition { $0.scope == .anywhere || !$0.operations.isEmpty }
        return (Array(terms[..<place]), Array(terms[place...]))
    }

    /// The SQL condition for a term in the words or the operation name of a run.
    private func condition(
        _ term: SearchQuery.Term, in column: String
    ) throws -> (text: String, pattern: any SQLValue) {
        let words = term.scope == .anywhere ? column : "' ' || \(column) || ' '"
        let contains = "instr(\(words), ?) > 0"
        let numbers = try term.operations.sorted().compactMap { try NameTable.number(of: $0, in: database) }
        guard !numbers.isEmpty else { return (contains, term.pattern) }
        let list = numbers.map { String($0) }.joined(separator: ", ")
        return ("(r.operation IN (\(list)) OR \(contains))", term.pattern)
    }

    private func expression(_ terms: [SearchQuery.Term]) throws -> String {
        let words = try terms.map { term in
            try term.isPrefix ? beginning(term.words) : "\"\(term.words)\""
        }
        let marks = marks.isEmpty ? "" : " AND marks : (\(marks.map { "\"\($0)\"" }.joined(separator: " AND ")))"
        return "words : (\(words.joined(separator: " AND ")))\(marks)"
    }

    /// The full-text expression for adjacent words whose last one is a prefix.
    private func beginning(_ words: String) throws -> String {
        let (before, start) =
            words.lastIndex(of: " ").map { (words[...$0], words[words.index(after: $0)...]) }
            ?? ("", words[...])
        guard start.unicodeScalars.count > 3,
            let found = try RunTextIndex(database).words(beginningWith: String(start)), !found.isEmpty
        else { return "\"\(words)\"*" }
        return "(" + found.map { "\"\(before)\($0)\"" }.joined(separator: " OR ") + ")"
    }

    /// The range of sequences opened within the query's range of time.
    private func openedRange() throws -> ClosedRange<Int64> {
        let bits = JournalSchema.blockBits
        let last = query.before.map { $0.rawValue - 1 } ?? .max
        guard query.startedAfter != nil || query.startedBefore != nil else { return min(0, last)...last }
        let blocks = try SQLStatement(
            database, "SELECT min(block), max(block) FROM blocks WHERE latest >= ? AND earliest < ?"
        ).first(query.startedAfter?.milliseconds ?? .min, query.startedBefore?.milliseconds ?? .max) { row in
            row.isNull(0) ? nil : (first: row.integer(0) << bits, last: row.integer(1) << bits | ((1 << bits) - 1))
        }
        guard let blocks = blocks ?? nil, blocks.first <= min(last, blocks.last) else { return 0...0 }
        return blocks.first...min(last, blocks.last)
    }

    private func all(_ conditions: [String]) -> String {
        conditions.isEmpty ? "true" : conditions.joined(separator: " AND ")
    }
}
