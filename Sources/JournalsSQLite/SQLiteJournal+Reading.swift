import GRDB
public import Journals

extension SQLiteJournal {
    /// The sequence of the last change.
    public func head() async throws -> Int64 {
        try await read { try SQLStatement($0, "SELECT head FROM journal").first { $0.integer(0) } ?? 0 }
    }

    /// The sequence of the topic's last change that is no longer kept.
    public func floor(of topic: Topic) async throws -> Int64 {
        try await read { try FloorTable($0).floor(of: topic) }
    }

    /// The topic's changes after one sequence up to another, oldest first.
    public func changes(of topic: Topic, after: Int64, through last: Int64?, limit: Int) async throws -> [Change] {
        try await read { try ChangeReader($0).changes(of: topic, after: after, through: last ?? .max, limit: limit) }
    }

    /// The topic's newest changes at or before a sequence, oldest first.
    public func newestChanges(of topic: Topic, through sequence: Int64, limit: Int) async throws -> [Change] {
        try await read { try ChangeReader($0).last(limit, of: topic, through: sequence) }
    }

    /// The run of that id, if it is kept.
    public func run(_ id: String) async throws -> RunRecord? {
        try await read { try RunReader($0).run(id) }
    }

    /// A run at a moment of its past, and as it stands.
    public func past(of run: String, at sequence: Int64?, transitions limit: Int) async throws -> RunPast? {
        try await read { try PastReader($0).past(of: run, at: sequence ?? .max, limit: limit) }
    }

    /// How many runs of an operation had begun and not ended right after a sequence.
    public func activeRuns(of operation: String, at sequence: Int64) async throws -> Int {
        try await read { try PastReader($0).activeRuns(of: operation, at: sequence) }
    }

    /// The newest run started under that key, if one is kept.
    public func run(idempotencyKey: String) async throws -> RunRecord? {
        try await read { try RunReader($0).run(idempotencyKey: idempotencyKey) }
    }

    /// The runs that match, newest first.
    public func runs(_ query: RunQuery) async throws -> RunPage {
        // What ended lately is indexed first, so that a search has little to read through.
        if query.text != nil, canWrite { try await write { try RunTextIndex($0).catchUp(ifAtLeast: 1) } }
        return try await read { try RunListing(query, $0)?.page() ?? RunPage(runs: [], next: nil) }
    }

    /// How many runs of each operation are in each phase.
    public func counts() async throws -> [RunCount] {
        try await read { database in
            try SQLStatement(
                database,
                """
                SELECT n.name, c.phase, c.count FROM counts c JOIN names n ON n.id = c.operation WHERE c.count > 0
                ORDER BY n.name, c.phase
                """
            ).all { row in
                RunCount(
                    operation: row.text(0), phase: try JournalCode.phase(row.integer(1)), count: Int(row.integer(2)))
            }
        }
    }

    /// The runs that have not ended, oldest first.
    public func unfinishedRuns() async throws -> [RunRecord] {
        try await read { try RunReader($0).unfinished() }
    }

    /// The lines of a run's output after a number, oldest first.
    public func output(of run: String, after number: Int64, limit: Int) async throws -> [OutputLine] {
        try await read { try OutputTable($0).lines(of: run, after: number, limit: limit) }
    }

    /// How many bytes the file has and its log beside it.
    public func size() async throws -> Int64? {
        try await read { [file] _ in try file.size() }
    }

    /// How many lines of output a run has.
    public func outputCount(of run: String) async throws -> Int64 {
        try await read { try OutputTable($0).count(of: run) }
    }
}
