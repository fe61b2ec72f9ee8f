import WeirAccess
import WeirJournals

/// What of a board an audience may see.
struct Visibility: Sendable {
    /// What the audience may do.
    let permissions: Permissions
    /// Whether that is everything, also what is no longer in the catalog.
    let isWhole: Bool
    /// The operations that may be seen, of those in the catalog.
    let operations: Set<String>
    /// The stores that may be seen, of those in the catalog.
    let stores: Set<String>
    /// Thirteen letters and digits that stand for what may be seen; nil where that is everything.
    let label: String?

    init(_ permissions: Permissions, of catalog: Catalog) {
        self.permissions = permissions
        isWhole = permissions.allowsEverywhere(.see)
        operations = Set(catalog.entries.map(\.id).filter { permissions.allows(.see, on: .operation($0)) })
        stores = Set(catalog.stores.map(\.id).filter { permissions.allows(.see, on: .store($0)) })
        label = isWhole ? nil : Audience(permissions.only(.see)).label
    }

    /// Whether a run may be seen: all of them whose operation may be, and one to which somebody has a link.
    func sees(_ record: RunRecord) -> Bool {
        isWhole || permissions.allows(.see, onRun: record.id, of: record.operation)
    }

    /// Whether the board of this audience tells of a change.
    func sees(_ change: Change) -> Bool {
        guard !isWhole else { return true }
        return switch change.stream {
        case .run: operations.contains(change.subject)
        case .store(let id): stores.contains(id)
        }
    }

    /// The topics whose changes the board of this audience tells of.
    var topics: [Topic] { operations.map(Topic.operation) + stores.map(Topic.store) }

    /// The catalog without what may not be seen.
    func part(of catalog: Catalog) -> Catalog {
        guard !isWhole else { return catalog }
        var part = Catalog()
        part.edition = catalog.edition
        for entry in catalog.entries where operations.contains(entry.id) { part.add(entry) }
        for entry in catalog.stores where stores.contains(entry.id) { part.add(entry) }
        return part
    }

    /// The board without what may not be seen.
    ///
    /// - Parameters:
    ///   - board: The whole board.
    ///   - sequence: The sequence of the last change that may be seen.
    ///   - others: Runs that belong to the newest ones that may be seen, besides those the board lists.
    /// - Returns: The board as the audience sees it.
    func part(of board: BoardView, at sequence: SequenceNumber, with others: [RunView] = []) -> BoardView {
        let operations = board.operations.filter { self.operations.contains($0.id) }
        var newest: [String: RunView] = [:]
        // The board's own views come last, because they are never older.
        // By the operation, as of changes: a link to one run shows that run, and no board.
        for run in others + operations.flatMap(\.recent) + board.recentRuns
        where isWhole || self.operations.contains(run.record.operation) {
            newest[run.record.id] = run
        }
        let recent = newest.values.sorted { $0.record.openedSequence > $1.record.openedSequence }
        return BoardView(
            sequence: sequence, operations: operations, recentRuns: Array(recent.prefix(BoardView.recentLimit)),
            stores: board.stores.filter { stores.contains($0.id) })
    }
}
