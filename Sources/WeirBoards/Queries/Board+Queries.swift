public import WeirJournals

extension Board {
    /// The whole board as it is, from memory.
    package func view() -> BoardView { feed.board }

    /// A run after its last recorded change.
    ///
    /// Comes from memory while the run continues and for a while after, then from the journal.
    /// - Parameter id: The run's id.
    /// - Returns: The run.
    /// - Throws: `unknownRun`, `notRecorded`, and `unavailable` when the journal cannot be read.
    public func run(_ id: String) async throws(BoardError) -> RunRecord { try await view(of: id).record }

    /// A run after its last recorded change, as its pages show it.
    ///
    /// - Parameter id: The run's id.
    /// - Returns: The run, with the states it passed through.
    /// - Throws: As ``run(_:)`` does.
    package func view(of id: String) async throws(BoardError) -> RunView {
        if let run = feed.run(id) { return run }
        let run: RunView
        do {
            run = try await fold(id, through: feed.head(of: .board))
        } catch  where RunID.isPlausible(id) && [.unknownRun, .removedRun].contains(error.code) {
            // It may have been recorded a moment ago, here or by another server, and not be published yet.
            try await read { try await recorder.follower.catchUp() }
            run = try await fold(id, through: feed.head(of: .board))
        }
        feed.remember(run)
        return run
    }

    /// A run as it was right after a change: what was live at that moment.
    ///
    /// - Parameters:
    ///   - id: The run's id.
    ///   - sequence: The change's sequence; of any other, the run's last change before counts.
    /// - Returns: The run after that change.
    /// - Throws: `unknownRun`, `unknownMoment` when the run had not begun, and `unavailable`.
    package func view(of id: String, at sequence: SequenceNumber) async throws(BoardError) -> RunView {
        if let run = feed.run(id, through: sequence) { return run }
        return try await moment(of: id, at: sequence).run
    }

    /// The runs that match, newest first, from the journal.
    ///
    /// - Parameter query: Which.
    /// - Returns: One page of them.
    /// - Throws: `unavailable` when the journal cannot be read.
    package func runs(_ query: RunQuery) async throws(BoardError) -> RunPage {
        try await read { try await journal.runs(query) }
    }

    /// The runs that match, newest first, from the journal, but no more than one answer has.
    ///
    /// - Parameter query: Which.
    /// - Returns: One page of them, which large runs make shorter than the limit of the query; it has one in any case.
    /// - Throws: `unavailable` when the journal cannot be read.
    package func answer(_ query: RunQuery) async throws(BoardError) -> RunPage {
        try await read { try await portion(of: query) }
    }

    /// The runs that have not ended, those that wait for their turn too, from the journal.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    package func unfinishedRuns() async throws(BoardError) -> [RunRecord] {
        try await read { try await journal.unfinishedRuns() }
    }

    /// How many runs of each operation are in each phase, from the journal.
    ///
    /// - Returns: The counts that are not 0.
    /// - Throws: `unavailable` when the journal cannot be read.
    package func counts() async throws(BoardError) -> [RunCount] {
        try await read { try await journal.counts() }
    }

    /// What holds the journal, such as `SQLite`; nil for nothing but memory.
    package var journalPlace: String? { journal.place }

    /// How many bytes the journal takes on the disk; nil if it takes none.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    package func journalSize() async throws(BoardError) -> Int64? {
        try await read { try await journal.size() }
    }

    /// The topic's changes after a cursor, oldest first: from memory where they are there, else from the journal.
    ///
    /// - Parameters:
    ///   - topic: Whose changes.
    ///   - after: The cursor; nil for everything that is kept, and then nothing counts as lost.
    ///   - limit: How many at most; large ones make it fewer, but never none.
    /// - Returns: The changes, and where the next ones begin.
    /// - Throws: `unavailable` when the journal cannot be read.
    package func changes(
        of topic: Topic, after: SequenceNumber?, limit: Int
    ) async throws(BoardError) -> ChangeSlice {
        let from = after ?? 0
        let head = feed.head(of: .board)
        switch feed.slice(of: topic, after: from, limit: limit) {
        case .some(let publications, let more):
            var portion = Portion<Change>(limit: limit)
            portion.add(publications.lazy.map(\.change), size: \.size)
            return ChangeSlice(portion.elements, from: from, more: more || portion.isCut, lost: nil)
        case .none, .future:
            return ChangeSlice([], from: from, more: false, lost: nil)
        case .gap(let floor):
            return try await read { try await keptChanges(of: topic, after: after, floor, head, limit: limit) }
        }
    }

    /// The topic's changes after a cursor that stands before the floor of those in memory, from the journal.
    private func keptChanges(
        of topic: Topic, after: SequenceNumber?, _ floor: SequenceNumber, _ head: SequenceNumber, limit: Int
    ) async throws -> ChangeSlice {
        let from = after ?? 0
        let portion = try await portion(of: topic, after: from, through: head, limit: limit)
        // Asked afterwards: what is removed in between counts as lost rather than as never there.
        let removed = after == nil ? 0 : try await journal.floor(of: topic)
        let (kept, more) = (portion.elements, portion.isCut)
        let last = kept.last?.sequence ?? from
        return ChangeSlice(
            changes: kept, from: from,
            // Who has read all there is stands behind what is removed, and is not told of it again; not behind what came since.
            to: more ? last : max(last, min(floor, head)), more: more, lost: from < removed ? from.next...removed : nil)
    }

    private func fold(_ id: String, through sequence: SequenceNumber) async throws(BoardError) -> RunView {
        guard let run = try await read({ try await journal.view(of: id, through: sequence) }) else {
            throw await missing(id)
        }
        return run
    }

    /// Why there is no run of an id: it may not be recorded yet; and one that looks like ours, in a journal that has
    /// forgotten some, was most likely there.
    func missing(_ id: String) async -> BoardError {
        if runs[id] != nil { return .notRecorded(id) }
        guard RunID.isPlausible(id) else { return .unknownRun(id) }
        do {
            return try await journal.floor(of: .run(id)) > 0 ? .removedRun(id) : .unknownRun(id)
        } catch {
            return .unreadable(error)
        }
    }

    func read<Value>(_ body: () async throws -> Value) async throws(BoardError) -> Value {
        do {
            return try await body()
        } catch {
            throw .unreadable(error)
        }
    }
}
