package import WeirAccess
package import WeirJournals

extension VisibleBoard {
    /// The board as it stands, from memory.
    package func view() -> BoardView { feed.projection?.board ?? board.view() }

    /// A run as it stands.
    ///
    /// Throws `unknownRun`, `notRecorded`, and `unavailable` when the journal cannot be read.
    package func run(_ id: String) async throws(BoardError) -> RunView {
        let run: RunView
        do { run = try await board.view(of: id) } catch { throw hidden(error, id) }
        guard visibility.sees(run.record) else { throw .unknownRun(id) }
        feed.remember(run.record)
        return run
    }

    /// A run as it stood right after a change.
    ///
    /// Throws `unknownRun`, `unknownMoment` when the run had not begun, and `unavailable`.
    package func run(_ id: String, at sequence: SequenceNumber) async throws(BoardError) -> RunView {
        _ = try await run(id)
        return try await board.view(of: id, at: sequence)
    }

    /// The runs that match, newest first.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    package func runs(_ query: RunQuery) async throws(BoardError) -> RunPage {
        try await board.runs(visible(query, .see))
    }

    /// The runs that match, newest first, but no more than one answer has.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    package func answer(_ query: RunQuery) async throws(BoardError) -> RunPage {
        try await board.answer(visible(query, .see))
    }

    /// Those of the runs that match on which a verb is allowed, but no more than one answer has.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    package func answer(_ query: RunQuery, allowing verb: Verb) async throws(BoardError) -> RunPage {
        try await board.answer(visible(query, verb))
    }

    /// How many runs of each operation are in each phase.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    package func counts() async throws(BoardError) -> [RunCount] {
        let counts = try await board.counts()
        return visibility.isWhole ? counts : counts.filter { visibility.operations.contains($0.operation) }
    }

    /// What holds the journal, for those who look after the server.
    package var journalPlace: String? { administers ? board.journalPlace : nil }

    /// How many bytes the journal takes, for those who look after the server.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    package func journalSize() async throws(BoardError) -> Int64? { administers ? try await board.journalSize() : nil }

    /// Compares two runs of one operation.
    ///
    /// Throws `unknownRun`, `incomparable`, and `unavailable`.
    package func comparison(of first: String, with second: String) async throws(BoardError) -> RunComparison {
        _ = try await (run(first), run(second))
        return try await board.comparison(of: first, with: second)
    }

    /// The newest run of the same operation that succeeded and was started before a run.
    ///
    /// Throws `unknownRun`, also when no run succeeded before, and `unavailable`.
    package func lastSuccess(before id: String) async throws(BoardError) -> String {
        let record = try await run(id).record
        // Who sees one run alone sees no other of its operation.
        guard visibility.isWhole || visibility.operations.contains(record.operation) else {
            throw .noSuccess(before: id)
        }
        return try await board.lastSuccess(before: id)
    }

    /// A run at a moment of its past.
    ///
    /// Throws `unknownRun`, `unknownMoment`, and `unavailable`.
    package func moment(of id: String, at sequence: SequenceNumber) async throws(BoardError) -> RunMoment {
        _ = try await run(id)
        return try await board.moment(of: id, at: sequence)
    }

    /// An operation at a moment of its past.
    ///
    /// Throws `unknownOperation`, `unknownMoment`, and `unavailable`.
    package func moment(ofOperation id: String, at sequence: SequenceNumber) async throws(BoardError) -> OperationMoment
    {
        try require(.see, onOperation: id)
        return try await board.moment(ofOperation: id, at: sequence)
    }

    /// The run's last change within so many milliseconds of its beginning.
    ///
    /// Throws `unknownRun`, and `unavailable`.
    package func sequence(of id: String, after offset: Int64) async throws(BoardError) -> SequenceNumber {
        _ = try await run(id)
        return try await board.sequence(of: id, after: offset)
    }

    /// The newest lines of a run's output.
    ///
    /// Throws `unknownRun`, and `unavailable`.
    package func outputTail(of run: String) async throws(BoardError) -> OutputTail {
        _ = try await self.run(run)
        return try await board.outputTail(of: run)
    }

    /// The lines of a run's output after a number, oldest first.
    ///
    /// Throws `unknownRun`, and `unavailable`.
    package func output(
        of run: String, after number: SequenceNumber = 0, limit: Int
    ) async throws(BoardError) -> [OutputLine] {
        _ = try await self.run(run)
        return try await board.output(of: run, after: number, limit: limit)
    }

    /// The stores as they stand.
    package func stores() -> [StoreView] { view().stores }

    /// A store as it stands.
    ///
    /// Throws `unknownStore`.
    package func store(_ id: String) throws(BoardError) -> StoreView {
        guard let view = view().store(id) else { throw .unknownStore(id) }
        return view
    }

    /// A store as it stood right after a change.
    ///
    /// Throws `unknownStore`, `unknownMoment`, and `unavailable`.
    package func store(_ id: String, at sequence: SequenceNumber) async throws(BoardError) -> StoreView {
        try require(.see, onStore: id)
        return try await board.store(id, at: sequence)
    }

    /// The query with nothing but what a verb is allowed on.
    func visible(_ query: RunQuery, _ verb: Verb) -> RunQuery {
        guard !(visibility.isWhole && permissions.allowsEverywhere(verb)) else { return query }
        var query = query
        query.operations = visibility.operations.filter { permissions.allows(verb, on: .operation($0)) }
        return query
    }
}

extension Board {
    /// The newest runs of some operations, as they stand.
    func newestRuns(of operations: Set<String>) async throws(BoardError) -> [RunView] {
        guard !operations.isEmpty else { return [] }
        var query = RunQuery(limit: BoardView.recentLimit)
        query.operations = operations
        var views: [RunView] = []
        for record in try await runs(query).runs {
            do {
                views.append(try await view(of: record.id))
            } catch {
                // Removed in between: it is listed no more.
                guard [.unknownRun, .removedRun].contains(error.code) else { throw error }
            }
        }
        return views
    }
}
