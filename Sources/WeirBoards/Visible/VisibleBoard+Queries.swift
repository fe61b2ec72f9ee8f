package import WeirAccess
package import WeirJournals
import WeirStates

extension VisibleBoard {
    /// The current board, from memory.
    package func view() -> BoardView { feed.projection?.board ?? board.view() }

    /// A current run.
    ///
    /// Throws `unknownRun`, `notRecorded`, and `unavailable` if the journal cannot be read.
    package func run(_ id: String) async throws(BoardError) -> RunView {
        let run: RunView
        do { run = try await board.view(of: id) } catch { throw hidden(error, id) }
        guard visibility.sees(run.record) else { throw .unknownRun(id) }
        feed.remember(run.record)
        return run
    }

    /// A run as it was after a past change.
    ///
    /// Throws `unknownRun`, `unknownMoment` if the run had not begun, and `unavailable`.
    package func run(_ id: String, at sequence: SequenceNumber) async throws(BoardError) -> RunView {
        _ = try await run(id)
        return try await board.view(of: id, at: sequence)
    }

    /// The matching runs, newest first.
    package func runs(_ query: RunQuery) async throws(BoardError) -> RunPage {
        try await board.runs(visible(query, .see))
    }

    /// The matching runs, newest first, up to the size limit of one response.
    package func answer(_ query: RunQuery) async throws(BoardError) -> RunPage {
        try await board.answer(visible(query, .see))
    }

    /// The matching runs on which a verb is allowed, up to the size limit of one response.
    package func answer(_ query: RunQuery, allowing verb: Verb) async throws(BoardError) -> RunPage {
        try await board.answer(visible(query, verb))
    }

    /// The number of runs of each operation in each phase.
    package func counts() async throws(BoardError) -> [RunCount] {
        let counts = try await board.counts()
        return visibility.isWhole ? counts : counts.filter { visibility.operations.contains($0.operation) }
    }

    /// The location of the journal; nil without permission to administer the server.
    package var journalPlace: String? { administers ? board.journalPlace : nil }

    /// The size of the journal in bytes; nil without permission to administer the server.
    package func journalSize() async throws(BoardError) -> Int64? { administers ? try await board.journalSize() : nil }

    /// Compares two runs of one operation.
    ///
    /// Throws `unknownRun`, `incomparable`, and `unavailable`.
    package func comparison(of first: String, with second: String) async throws(BoardError) -> RunComparison {
        _ = try await (run(first), run(second))
        var comparison = try await board.comparison(of: first, with: second)
        var values: [String: [String: JSONValue]] = [:]
        for id in Set(comparison.stepRuns) {
            guard let record = try? await board.run(id), visibility.sees(record) else { continue }
            // Lists of the state itself, such as the progress of nested steps, are not reported values.
            values[id] = StepValues.values(of: record).filter { name, value in
                value.array == nil || record.state.payload["values"]?[name] != nil
            }
        }
        comparison.add(values: values)
        return comparison
    }

    /// The newest succeeded run of the same operation that started before a run.
    ///
    /// Throws `unknownRun`, also if no run succeeded, and `unavailable`.
    package func lastSuccess(before id: String) async throws(BoardError) -> String {
        let record = try await run(id).record
        // A link to one run does not show others of its operation.
        guard visibility.sees(operation: record.operation) else {
            throw .noSuccess(before: id)
        }
        return try await board.lastSuccess(before: id)
    }

    /// A run at a past moment.
    ///
    /// Throws `unknownRun`, `unknownMoment`, and `unavailable`.
    package func moment(of id: String, at sequence: SequenceNumber) async throws(BoardError) -> RunMoment {
        _ = try await run(id)
        return try await board.moment(of: id, at: sequence)
    }

    /// An operation at a past moment.
    ///
    /// Throws `unknownOperation`, `unknownMoment`, and `unavailable`.
    package func moment(ofOperation id: String, at sequence: SequenceNumber) async throws(BoardError) -> OperationMoment
    {
        try require(.see, onOperation: id)
        return try await board.moment(ofOperation: id, at: sequence)
    }

    /// The run's last change up to an offset from its start in milliseconds.
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

    /// The lines of a run's output after a line number, oldest first.
    ///
    /// Throws `unknownRun`, and `unavailable`.
    package func output(
        of run: String, after number: SequenceNumber = 0, limit: Int
    ) async throws(BoardError) -> [OutputLine] {
        _ = try await self.run(run)
        return try await board.output(of: run, after: number, limit: limit)
    }

    package func stores() -> [StoreView] { view().stores }

    package func store(_ id: String) throws(BoardError) -> StoreView {
        guard let view = view().store(id) else { throw .unknownStore(id) }
        return view
    }

    /// A store as it was after a past change.
    ///
    /// Throws `unknownStore`, `unknownMoment`, and `unavailable`.
    package func store(_ id: String, at sequence: SequenceNumber) async throws(BoardError) -> StoreView {
        try require(.see, onStore: id)
        return try await board.store(id, at: sequence)
    }

    /// The query restricted to operations on which a verb is allowed.
    func visible(_ query: RunQuery, _ verb: Verb) -> RunQuery {
        guard !(visibility.isWhole && permissions.allowsEverywhere(verb)) else { return query }
        var query = query
        query.operations = visibility.operations.filter { permissions.allows(verb, on: .operation($0)) }
        return query
    }
}

extension Board {
    func newestRuns(of operations: Set<String>) async throws(BoardError) -> [RunView] {
        guard !operations.isEmpty else { return [] }
        var query = RunQuery(limit: BoardView.recentLimit)
        query.operations = operations
        var views: [RunView] = []
        for record in try await runs(query).runs {
            do {
                views.append(try await view(of: record.id))
            } catch {
                // The run was removed in between.
                guard [.unknownRun, .removedRun, .deletedRun].contains(error.code) else { throw error }
            }
        }
        return views
    }
}

extension VisibleBoard {
    /// The maximum number of changes that one call searches for visible ones.
    private static let mostLookedThrough = 10_000

    /// The topic's changes after a cursor, oldest first; for the board, only the visible ones.
    ///
    /// If few of very many changes are visible, the slice can be empty although it says that more follow.
    ///
    /// Throws `unknownOperation`, `unknownRun`, `unknownStore`, and `unavailable`.
    package func changes(
        of topic: Topic, after: SequenceNumber?, limit: Int
    ) async throws(BoardError) -> ChangeSlice {
        guard !visibility.isWhole else { return try await board.changes(of: topic, after: after, limit: limit) }
        switch topic {
        case .board: return try await boardChanges(after: after, limit: limit)
        case .operation(let id): try require(.see, onOperation: id)
        case .store(let id): try require(.see, onStore: id)
        case .run(let id), .output(let id): _ = try await run(id)
        }
        return try await board.changes(of: topic, after: after, limit: limit)
    }

    private func boardChanges(after: SequenceNumber?, limit: Int) async throws(BoardError) -> ChangeSlice {
        let from = after ?? 0
        // No visible change follows the head, so a cursor never exceeds it either.
        let head = feed.head(of: .board)
        switch feed.slice(of: .board, after: from, limit: limit) {
        case .some(let publications, let more):
            var portion = BoundedBatch<Change>(limit: limit)
            portion.add(publications.lazy.map(\.change), size: \.size)
            return ChangeSlice(portion.elements, from: from, more: more || portion.isCut, lost: nil)
        case .none, .future:
            return ChangeSlice([], from: from, more: false, lost: nil)
        case .gap: break
        }
        return try await board.read {
            var found = BoundedBatch<Change>(limit: limit)
            var (cursor, lookedThrough, isOver) = (from, 0, false)
            while !found.isCut, !isOver, lookedThrough < Self.mostLookedThrough {
                let count = found.batch
                let page = try await board.journal.changes(of: .board, after: cursor, through: head, limit: count)
                found.add(page, size: \.size, where: visibility.sees)
                cursor = page.last?.sequence ?? head
                lookedThrough += page.count
                isOver = page.count < count
            }
            // Read last, so that changes removed in between count as lost, not as never recorded.
            let floor = after == nil ? 0 : try await board.journal.floor(of: .board)
            let (changes, isCut) = (found.elements, found.isCut)
            let end = isCut ? changes.last?.sequence ?? from : isOver ? max(from, head) : cursor
            return ChangeSlice(
                changes: changes, from: from, to: end, more: isCut || !isOver,
                lost: from < floor ? from.next...floor : nil)
        }
    }
}
