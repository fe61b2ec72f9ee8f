import WeirFlows
package import WeirJournals

extension PostgresJournal {
    package func head() async throws -> SequenceNumber {
        try await read { try $0.first("SELECT head FROM weir.journal") { try $0.sequence(0) } ?? .zero }
    }

    package func floor(of topic: Topic) async throws -> SequenceNumber {
        try await read { try FloorReader($0).floor(of: topic) }
    }

    package func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) async throws
        -> [Change]
    {
        try await read { try ChangeReader($0).changes(of: topic, after: after, through: last ?? .max, limit: limit) }
    }

    package func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) async throws -> [Change] {
        try await read { try ChangeReader($0).last(limit, of: topic, through: sequence) }
    }

    package func run(_ id: String) async throws -> RunRecord? { try await read { try RunReader($0).run(id) } }

    package func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) async throws -> RunPast? {
        try await readMoment { try PastReader($0).past(of: run, at: sequence ?? .max, limit: limit) }
    }

    package func activeRuns(of operation: String, at sequence: SequenceNumber) async throws -> Int {
        try await read { try PastReader($0).activeRuns(of: operation, at: sequence) }
    }

    package func run(idempotencyKey: String, operation: String, actor: String) async throws -> RunRecord? {
        try await read { try RunReader($0).run(idempotencyKey: idempotencyKey, operation: operation, actor: actor) }
    }

    /// Throws `searchTooLong` for a search that exceeds ``searchTime``.
    package func runs(_ query: RunQuery) async throws -> RunPage {
        guard query.text != nil else {
            return try await readMoment { try RunListing(query, $0)?.page() ?? RunPage(runs: [], next: nil) }
        }
        // Indexes runs that ended recently, so that the search has few to scan.
        if session != nil { try await indexWords() }
        let time = Self.searchTime
        return try await search { connection in
            let budget = WorkBudget(time)
            do {
                return try connection.snapshot {
                    try connection.execute("SET LOCAL statement_timeout = '\(time.components.seconds)s'")
                    return try RunListing(query, connection, budget)?.page() ?? RunPage(runs: [], next: nil)
                }
            } catch is WorkBudget.Exceeded {
                throw JournalError.searchTooLong
            } catch let failure as PostgresFailure where failure.state == PostgresState.cancelled {
                throw JournalError.searchTooLong
            }
        }
    }

    package func counts() async throws -> [RunCount] {
        try await read { connection in
            try connection.all(
                """
                SELECT n.name, c.phase, c.count FROM weir.counts c JOIN weir.names n ON n.id = c.operation
                WHERE c.count > 0 ORDER BY n.name, c.phase
                """
            ) { row in
                RunCount(
                    operation: row.text(0), phase: try JournalCode.phase(row.integer(1)),
                    count: Int(clamping: row.integer(2)))
            }
        }
    }

    package func attempts(from: Timestamp, to: Timestamp) async throws -> [AttemptCount] {
        try await read { connection in
            try connection.all(
                """
                SELECT n.name, r.attempt, count(*) FROM weir.blocks b
                    JOIN weir.runs r ON r.opened >> \(PostgresSchema.blockBits) = b.block
                    JOIN weir.names n ON n.id = r.operation
                WHERE b.latest >= $1 AND b.earliest < $2 AND r.opened >= (
                        SELECT min(block) << \(PostgresSchema.blockBits) FROM weir.blocks WHERE latest >= $1)
                    AND r.opened < (
                        SELECT (max(block) + 1) << \(PostgresSchema.blockBits) FROM weir.blocks WHERE earliest < $2)
                    AND r.started >= $1 AND r.started < $2 AND r.epoch IS NULL
                GROUP BY n.name, r.attempt ORDER BY n.name, r.attempt
                """, [from.milliseconds, to.milliseconds]
            ) { row in
                AttemptCount(operation: row.text(0), attempt: row.integer(1), count: Int(clamping: row.integer(2)))
            }
        }
    }

    package func unfinishedRuns() async throws -> [RunRecord] { try await read { try RunReader($0).unfinished() } }

    package func output(of run: String, after number: SequenceNumber, limit: Int) async throws -> [OutputLine] {
        try await read { try OutputReader($0).lines(of: run, after: number, limit: limit) }
    }

    package func output(of run: String, numbers: [SequenceNumber]) async throws -> [OutputLine] {
        try await read { try OutputReader($0).lines(of: run, numbers: numbers) }
    }

    package func outputCount(of run: String) async throws -> SequenceNumber {
        try await read { try OutputReader($0).count(of: run) }
    }

    package func forecast(
        _ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber
    ) async throws -> RetentionForecast {
        try await readMoment { try RunRemoval($0).forecast(policy, now: now, after: sequence) }
    }

    package func note(_ name: String) async throws -> String? {
        try await read {
            try $0.first("SELECT text FROM weir.notes WHERE name = $1", [AnyText(name)]) { $0.text(0) }
        }
    }

    /// The size of the journal's tables and indexes, in bytes.
    package func size() async throws -> Int64? {
        try await read {
            try $0.first(
                """
                SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
                WHERE c.relnamespace = 'weir'::regnamespace AND c.relkind = 'r'
                """
            ) { $0.integer(0) }
        }
    }
}
