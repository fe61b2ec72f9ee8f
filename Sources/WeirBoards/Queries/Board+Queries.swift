public import WeirJournals

extension Board {
    package func view() -> BoardView { feed.board }

    /// A run after its last recorded change.
    ///
    /// Read from memory while the run is active and for some time after, then from the journal.
    /// - Parameter id: The run's id.
    /// - Returns: The run.
    /// - Throws: `unknownRun`, `removedRun`, `deletedRun`, `notRecorded`, and `unavailable` if the journal cannot be read.
    public func run(_ id: String) async throws(BoardError) -> RunRecord { try await view(of: id).record }

    /// A run after its last recorded change, with its transitions.
    ///
    /// Throws as ``run(_:)`` does.
    func view(of id: String) async throws(BoardError) -> RunView {
        if let run = feed.run(id) { return run }
        let run: RunView
        do {
            run = try await fold(id, through: feed.head(of: .board))
        } catch  where RunID.isPlausible(id) && [.unknownRun, .removedRun, .deletedRun].contains(error.code) {
            // A change recorded here or by another server may not be published yet.
            try await read { try await recorder.follower.catchUp() }
            run = try await fold(id, through: feed.head(of: .board))
        }
        feed.remember(run)
        return run
    }

    /// Those of some runs that were ever deleted, also if they were restored since.
    package func deletedRuns(among runs: Set<String>) async throws(BoardError) -> Set<String> {
        var (found, last): (Set<String>, SequenceNumber) = ([], .zero)
        while true {
            let page = try await read { [last] in
                try await journal.deletions(after: last, through: .max, limit: Self.deletionsRead)
            }
            found.formUnion(page.lazy.map(\.run).filter(runs.contains))
            guard page.count == Self.deletionsRead, let newest = page.last?.sequence else { return found }
            last = newest
        }
    }

    private static let deletionsRead = 1_000

    /// Whether a run was deleted, according to the journal.
    package func isDeleted(_ id: String) async throws(BoardError) -> Bool {
        try await read { try await journal.deletion(of: id) != nil }
    }

    /// A run after its last change at or before a sequence.
    ///
    /// Throws `unknownRun`, `unknownMoment` if the run had not begun, and `unavailable`.
    func view(of id: String, at sequence: SequenceNumber) async throws(BoardError) -> RunView {
        if let run = feed.run(id, through: sequence) { return run }
        return try await moment(of: id, at: sequence).run
    }

    /// A page of the matching runs, newest first, from the journal.
    ///
    /// Throws `unavailable` if the journal cannot be read.
    package func runs(_ query: RunQuery) async throws(BoardError) -> RunPage {
        try await read { try await journal.runs(query) }
    }

    /// A page of the matching runs, newest first, from the journal, limited to the size of one response.
    ///
    /// Contains at least one matching run, but fewer than the query's limit if the runs are large. Throws `unavailable`
    /// if the journal cannot be read.
    func answer(_ query: RunQuery) async throws(BoardError) -> RunPage {
        try await read { try await portion(of: query) }
    }

    /// The active and queued runs, from the journal.
    ///
    /// Throws `unavailable` if the journal cannot be read.
    package func unfinishedRuns() async throws(BoardError) -> [RunRecord] {
        try await read { try await journal.unfinishedRuns() }
    }

    /// The number of runs in each phase of each operation, from the journal, without zeros.
    ///
    /// Throws `unavailable` if the journal cannot be read.
    package func counts() async throws(BoardError) -> [RunCount] {
        try await read { try await journal.counts() }
    }

    /// How many runs of each operation that began in a period are of each attempt.
    func attempts(from: Timestamp, to: Timestamp) async throws(BoardError) -> [AttemptCount] {
        try await read { try await journal.attempts(from: from, to: to) }
    }

    /// The kind of storage of the journal, such as `SQLite`, or nil for memory.
    var journalPlace: String? { journal.place }

    /// The size of the journal on disk in bytes, or nil if it is not on disk.
    ///
    /// Throws `unavailable` if the journal cannot be read.
    package func journalSize() async throws(BoardError) -> Int64? {
        try await read { try await journal.size() }
    }

    /// The topic's changes after a cursor, oldest first, from memory or from the journal.
    ///
    /// A nil cursor returns all kept changes, without a `lost` range. Large changes reduce the number below `limit`,
    /// but at least one is returned. Throws `unavailable` if the journal cannot be read.
    package func changes(
        of topic: Topic, after: SequenceNumber?, limit: Int
    ) async throws(BoardError) -> ChangeSlice {
        let from = after ?? 0
        let head = feed.head(of: .board)
        switch feed.slice(of: topic, after: from, limit: limit) {
        case .some(let publications, let more):
            var portion = BoundedBatch<Change>(limit: limit)
            portion.add(publications.lazy.map(\.change), size: \.size)
            return ChangeSlice(portion.elements, from: from, more: more || portion.isCut, lost: nil)
        case .none, .future:
            return ChangeSlice([], from: from, more: false, lost: nil)
        case .gap(let floor):
            return try await read { try await keptChanges(of: topic, after: after, floor, head, limit: limit) }
        }
    }

    /// The topic's changes after a cursor that precedes the changes in memory, from the journal.
    private func keptChanges(
        of topic: Topic, after: SequenceNumber?, _ floor: SequenceNumber, _ head: SequenceNumber, limit: Int
    ) async throws -> ChangeSlice {
        let from = after ?? 0
        let portion = try await portion(of: topic, after: from, through: head, limit: limit)
        // Read after the changes, so that removals in between count as lost.
        let removed = after == nil ? 0 : try await journal.floor(of: topic)
        let (kept, more) = (portion.elements, portion.isCut)
        let last = kept.last?.sequence ?? from
        return ChangeSlice(
            changes: kept, from: from,
            // A reader at the end advances past the removed changes, which are then not reported again, but not past
            // newer changes.
            to: more ? last : max(last, min(floor, head)), more: more, lost: from < removed ? from.next...removed : nil)
    }

    private func fold(_ id: String, through sequence: SequenceNumber) async throws(BoardError) -> RunView {
        guard let run = try await read({ try await journal.view(of: id, through: sequence) }) else {
            throw await missing(id)
        }
        return run
    }

    /// The error for a run that cannot be found: not recorded yet, deleted, most likely removed if it has the form of
    /// a generated id, or unknown.
    func missing(_ id: String) async -> BoardError {
        if runs[id] != nil { return .notRecorded(id) }
        do {
            if let deletion = try await journal.deletion(of: id) { return .deletedRun(deletion) }
            guard RunID.isPlausible(id) else { return .unknownRun(id) }
            return try await journal.pruned(of: .board) > 0 ? .removedRun(id) : .unknownRun(id)
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

extension Board {
    var began: Timestamp { journal.began }

    /// The sequence of the topic's last change that is neither in memory nor in the journal, or 0.
    ///
    /// Throws `unavailable` if the journal cannot be read.
    func floor(of topic: Topic) async throws(BoardError) -> SequenceNumber {
        let inMemory = feed.floor(of: topic)
        if inMemory == 0 { return 0 }
        return min(inMemory, try await read { try await journal.floor(of: topic) })
    }
}

/// A topic's changes after a cursor, and the range of lost changes.
package struct ChangeSlice: Sendable, Hashable {
    package let changes: [Change]
    /// The cursor before these changes.
    package let from: SequenceNumber
    /// The cursor after these changes: the sequence of the last one, or `from` if there are none; past the removed
    /// changes if none follow.
    package let to: SequenceNumber
    package let more: Bool
    /// The range of sequences in which changes of the topic may be missing, or nil if none are.
    package let lost: ClosedRange<SequenceNumber>?

    init(
        changes: [Change], from: SequenceNumber, to: SequenceNumber, more: Bool, lost: ClosedRange<SequenceNumber>?
    ) {
        self.changes = changes
        self.from = from
        self.to = to
        self.more = more
        self.lost = lost
    }

    init(_ changes: [Change], from: SequenceNumber, more: Bool, lost: ClosedRange<SequenceNumber>?) {
        self.init(changes: changes, from: from, to: changes.last?.sequence ?? from, more: more, lost: lost)
    }
}
