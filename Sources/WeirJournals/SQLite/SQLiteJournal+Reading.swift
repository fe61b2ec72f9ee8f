import GRDB
import WeirFlows

extension SQLiteJournal {
    package func head() async throws -> SequenceNumber {
        try await read { try SQLStatement($0, "SELECT head FROM journal").first { try $0.sequence(0) } ?? 0 }
    }

    package func floor(of topic: Topic) async throws -> SequenceNumber {
        try await read { try FloorTable($0).floor(of: topic) }
    }

    package func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) async throws
        -> [Change]
    {
        try await read { try ChangeReader($0).changes(of: topic, after: after, through: last ?? .max, limit: limit) }
    }

    package func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) async throws -> [Change] {
        try await read { try ChangeReader($0).last(limit, of: topic, through: sequence) }
    }

    package func run(_ id: String) async throws -> RunRecord? {
        try await read { try RunReader($0).run(id) }
    }

    package func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) async throws -> RunPast? {
        try await read { try PastReader($0).past(of: run, at: sequence ?? .max, limit: limit) }
    }

    package func activeRuns(of operation: String, at sequence: SequenceNumber) async throws -> Int {
        try await read { try PastReader($0).activeRuns(of: operation, at: sequence) }
    }

    package func run(idempotencyKey: String, operation: String, actor: String) async throws -> RunRecord? {
        try await read { try RunReader($0).run(idempotencyKey: idempotencyKey, operation: operation, actor: actor) }
    }

    /// Throws `searchTooLong` for a search that exceeds ``Configuration/searchTime``.
    package func runs(_ query: RunQuery) async throws -> RunPage {
        guard query.text != nil else {
            return try await read { try RunListing(query, $0)?.page() ?? RunPage(runs: [], next: nil) }
        }
        if canWrite { try await indexEndedRuns() }
        let time = file.configuration.searchTime
        return try await search { database in
            let budget = WorkBudget(time)
            do {
                return try InterruptedReading(budget).run(database) {
                    try RunListing(query, database, budget)?.page() ?? RunPage(runs: [], next: nil)
                }
            } catch is WorkBudget.Exceeded {
                throw JournalError.searchTooLong
            }
        }
    }

    /// Indexes runs that ended recently, so that the search has few to scan.
    ///
    /// If writing fails, for example on a full disk, the search scans them.
    private func indexEndedRuns() async throws {
        let budget = WorkBudget(file.configuration.searchTime)
        do {
            while try await read({ try RunTextIndex($0).waiting() }) > 0, !budget.isExceeded {
                try await write { try RunTextIndex($0).catchUp(ifAtLeast: 1) }
            }
        } catch let error as JournalError where [.full, .readOnly, .locked].contains(error.code) {}
    }

    package func counts() async throws -> [RunCount] {
        try await read { database in
            try SQLStatement(
                database,
                """
                SELECT n.name, c.phase, c.count FROM counts c JOIN names n ON n.id = c.operation WHERE c.count > 0
                ORDER BY n.name, c.phase
                """
            ).all { row in
                RunCount(
                    operation: row.text(0), phase: try JournalCode.phase(row.integer(1)),
                    count: Int(clamping: row.integer(2)))
            }
        }
    }

    package func attempts(from: Timestamp, to: Timestamp) async throws -> [AttemptCount] {
        let bits = JournalSchema.blockBits
        return try await read { database in
            try SQLStatement(
                database,
                """
                SELECT n.name, r.attempt, count(*) FROM blocks b CROSS JOIN runs r CROSS JOIN names n ON n.id = r.operation
                WHERE b.latest >= ?1 AND b.earliest < ?2
                    AND r.opened BETWEEN b.block << \(bits) AND (b.block << \(bits)) + \((1 << bits) - 1)
                    AND r.started >= ?1 AND r.started < ?2 AND r.epoch IS NULL
                GROUP BY n.name, r.attempt ORDER BY n.name, r.attempt
                """
            ).all(from.milliseconds, to.milliseconds) { row in
                AttemptCount(operation: row.text(0), attempt: row.integer(1), count: Int(clamping: row.integer(2)))
            }
        }
    }

    package func unfinishedRuns() async throws -> [RunRecord] {
        try await read { try RunReader($0).unfinished() }
    }

    package func output(of run: String, after number: SequenceNumber, limit: Int) async throws -> [OutputLine] {
        try await read { try OutputTable($0).lines(of: run, after: number, limit: limit) }
    }

    package func output(of run: String, numbers: [SequenceNumber]) async throws -> [OutputLine] {
        try await read { try OutputTable($0).lines(of: run, numbers: numbers) }
    }

    package func forecast(
        _ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber
    ) async throws -> RetentionForecast {
        try await read { try RunRemoval($0).forecast(policy, now: now, after: sequence) }
    }

    package func note(_ name: String) async throws -> String? {
        try await read { try SQLStatement($0, "SELECT text FROM notes WHERE name = ?").first(name) { $0.text(0) } }
    }

    package var place: String? { "SQLite" }

    /// The size of the file and its log, in bytes.
    package func size() async throws -> Int64? {
        try await read { [file] _ in file.size() }
    }

    package func search(_ search: OutputSearch, inOutputOf run: String) async throws -> OutputMatches {
        try await self.search { database in
            try OutputTable(database).matches(search, of: run, within: WorkBudget(OutputSearch.timeLimit))
        }
    }

    package func outputCount(of run: String) async throws -> SequenceNumber {
        try await read { try OutputTable($0).count(of: run) }
    }
}
