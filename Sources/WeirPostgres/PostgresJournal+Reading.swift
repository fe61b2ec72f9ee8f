import WeirFlows
package import WeirJournals

extension PostgresJournal {
    /// The sequence of the last change.
    package func head() async throws -> SequenceNumber {
        try await read { try $0.first("SELECT head FROM weir.journal") { try $0.sequence(0) } ?? .zero }
    }

    /// The sequence of the topic's last change that is no longer kept.
    package func floor(of topic: Topic) async throws -> SequenceNumber {
        try await read { connection in
            func floor(ofSubject number: Int64) throws -> SequenceNumber {
                try connection.first("SELECT sequence FROM weir.floors WHERE operation = $1", [number]) {
                    try $0.sequence(0)
                } ?? .zero
            }
            switch topic {
            case .board: return try floor(ofSubject: 0)
            case .operation(let name): return try Names(connection).number(of: name).map(floor(ofSubject:)) ?? .zero
            case .run(let id): return try RunReader(connection).run(id) == nil ? floor(ofSubject: 0) : .zero
            case .store(let id):
                return try connection.first("SELECT floor FROM weir.stores WHERE id = $1", [AnyText(id)]) {
                    try $0.sequence(0)
                } ?? .zero
            case .output: return .zero
            }
        }
    }

    /// The topic's changes after one sequence up to another, oldest first.
    package func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) async throws
        -> [Change]
    {
        try await read { try ChangeReader($0).changes(of: topic, after: after, through: last ?? .max, limit: limit) }
    }

    /// The topic's newest changes at or before a sequence, oldest first.
    package func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) async throws -> [Change] {
        try await read { try ChangeReader($0).last(limit, of: topic, through: sequence) }
    }

    /// The run with that id, if it is kept.
    package func run(_ id: String) async throws -> RunRecord? { try await read { try RunReader($0).run(id) } }

    /// A run at a moment of its past, and as it is now.
    package func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) async throws -> RunPast? {
        try await readMoment { try PastReader($0).past(of: run, at: sequence ?? .max, limit: limit) }
    }

    /// How many runs of an operation had begun and not ended right after a sequence.
    package func activeRuns(of operation: String, at sequence: SequenceNumber) async throws -> Int {
        try await read { try PastReader($0).activeRuns(of: operation, at: sequence) }
    }

    /// The newest kept run of an operation that an actor started with that key, if there is one.
    package func run(idempotencyKey: String, operation: String, actor: String) async throws -> RunRecord? {
        try await read { try RunReader($0).run(idempotencyKey: idempotencyKey, operation: operation, actor: actor) }
    }

    /// The runs that match, newest first.
    ///
    /// Throws `searchTooLong` for a search that takes longer than ``searchTime``.
    package func runs(_ query: RunQuery) async throws -> RunPage {
        guard query.text != nil else {
            return try await readMoment { try RunListing(query, $0)?.page() ?? RunPage(runs: [], next: nil) }
        }
        // Runs that ended recently are indexed first, so that a search has little to read through.
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

    /// How many runs of each operation are in each phase.
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

    /// The runs that have not ended, oldest first.
    package func unfinishedRuns() async throws -> [RunRecord] { try await read { try RunReader($0).unfinished() } }

    /// The lines of a run's output after a number, oldest first.
    package func output(of run: String, after number: SequenceNumber, limit: Int) async throws -> [OutputLine] {
        try await read { try OutputReader($0).lines(of: run, after: number, limit: limit) }
    }

    /// The number of lines of a run's output.
    package func outputCount(of run: String) async throws -> SequenceNumber {
        try await read { try OutputReader($0).count(of: run) }
    }

    /// What pruning would remove.
    package func forecast(
        _ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber
    ) async throws -> RetentionForecast {
        try await readMoment { try RunRemoval($0).forecast(policy, now: now, after: sequence) }
    }

    /// The text that is stored under a name.
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
