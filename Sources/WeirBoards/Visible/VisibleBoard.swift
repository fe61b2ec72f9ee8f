package import Foundation
package import WeirAccess
package import WeirFlows
package import WeirJournals
import WeirOperations
import WeirStates

/// A board as one audience sees it: hides everything that is not visible, and rejects everything that is not allowed.
///
/// A request for something hidden fails with the same error as a request for something that never existed.
package final class VisibleBoard: Sendable {
    let board: Board
    let visibility: Visibility
    package let catalog: Catalog
    package let feed: VisibleFeed

    private init(_ board: Board, _ visibility: Visibility, projection: FeedProjection?) {
        self.board = board
        self.visibility = visibility
        catalog = visibility.part(of: board.catalog)
        feed = VisibleFeed(board.feed, visibility: visibility, projection: projection)
    }

    /// Creates a board with all permissions.
    package convenience init(whole board: Board) {
        self.init(board, Visibility(.everything, of: board.catalog), projection: nil)
    }

    /// Creates a board without permissions.
    package convenience init(nothingOf board: Board) {
        let visibility = Visibility(.nothing, of: board.catalog)
        self.init(board, visibility, projection: board.feed.project(visibility, recent: []))
    }

    /// Creates a board with these permissions.
    ///
    /// Throws `unavailable` if the journal cannot be read.
    package convenience init(_ board: Board, for permissions: Permissions) async throws(BoardError) {
        let visibility = Visibility(permissions, of: board.catalog)
        guard !visibility.isWhole else {
            self.init(board, visibility, projection: nil)
            return
        }
        let recent = try await board.newestRuns(of: visibility.operations)
        self.init(board, visibility, projection: board.feed.project(visibility, recent: recent))
    }

    /// The catalog for pages, which also contains the operation of a run shared by a link.
    package func pageCatalog() async throws(BoardError) -> Catalog {
        guard let id = permissions.run else { return catalog }
        let operation: String
        do { operation = try await run(id).record.operation } catch {
            guard [.unknownRun, .notRecorded].contains(error.code) else { throw error }
            return catalog
        }
        var pages = catalog
        if let entry = board.catalog[operation] { pages.add(entry) }
        return pages
    }

    package var permissions: Permissions { visibility.permissions }
    /// Identifies the visible part of the board, equally in every process; nil for the whole board.
    ///
    /// Every other feed is either entirely visible or hidden, so a position in it means the same to all audiences.
    package var label: String? { visibility.label }
    package var epoch: String { board.epoch }
    package var zone: TimeZone { board.zone }
    package var recording: RecordingStatus { board.recording }

    package var role: BoardRole { board.role.value }

    package var isShared: Bool { board.membership != nil }

    /// Whether this server has published every change up to a sequence.
    package func hasShown(_ sequence: SequenceNumber) -> Bool { board.feed.head(of: .board) >= sequence }

    /// See `Board.mayBeRecorded(_:)`.
    package func mayBeRecorded(_ sequence: SequenceNumber) async -> Bool { await board.mayBeRecorded(sequence) }

    /// Whether this server showed every change at its last poll of the journal; false while the journal cannot be read.
    package var isCurrent: Bool { board.recorder.follower.isCurrent }

    /// Polls the journal soon, because a client has seen later changes than this server; on failure, `isCurrent` is
    /// false afterwards.
    package func lookSoon() { Task { [board] in try? await board.recorder.follower.catchUp() } }

    package var nodes: [NodeView] { board.nodes }
    package var recordingStatus: ReadOnlyStateFlow<RecordingStatus> { board.recordingStatus }
    /// The upcoming removal of old runs; nil without permission to administer the server.
    package var announcedRemoval: ReadOnlyStateFlow<AnnouncedRemoval?> {
        administers ? board.announcedRemoval : MutableStateFlow(nil).asStateFlow()
    }
    /// Why the last settings are not in effect; nil without permission to administer the server.
    package var refusedSettings: ReadOnlyStateFlow<RefusedSettings?> {
        administers ? board.refusedSettings.asStateFlow() : MutableStateFlow(nil).asStateFlow()
    }
    /// The schedules of visible operations whose latest start did not happen.
    package var schedulesWithoutStart: [String: ScheduleStanding] {
        board.scheduleStandings.filter { id, standing in
            standing.lacksStart && visibility.sees(operation: id)
        }
    }

    package var pausedSchedules: Set<String> {
        let paused = board.scheduleStandings.filter { $0.value.pause != nil }.keys
        return Set(paused.filter { visibility.sees(operation: $0) })
    }

    package var scheduleChanges: ReadOnlyStateFlow<Int> { board.scheduleChanges }

    package var diskAlmostFullSince: ReadOnlyStateFlow<Timestamp?> { board.diskAlmostFullSince }

    /// Why the server starts and sends nothing automatically; nil without permission to administer the server.
    package var quiet: ReadOnlyStateFlow<QuietStart?> {
        administers ? board.quiet : MutableStateFlow(nil).asStateFlow()
    }
    /// Whether the server starts and sends nothing automatically.
    package var isQuiet: Bool { board.quiet.value != nil }
    /// The notices about the journal; empty without permission to administer the server.
    package var notices: [JournalNotice] { administers ? board.notices : [] }
    package var currentNotices: ReadOnlyStateFlow<[JournalNotice]> {
        administers ? board.currentNotices : MutableStateFlow<[JournalNotice]>([]).asStateFlow()
    }
    package var isImporting: Bool { board.isImporting }

    var administers: Bool { permissions.allows(.administer, on: .server) }

    /// Counts a viewer of a topic, which starts visible operations that run only while watched unless `starts` is false.
    package func watch(_ topic: Topic, starts: Bool = true) -> Watch {
        guard visibility.isWhole || feed.sees(topic) else { return Watch(topic: topic) {} }
        return board.watching.watch(topic, of: !starts ? [] : visibility.isWhole ? nil : visibility.operations)
    }

    /// The number of viewers of exactly that topic, over all boards.
    package func viewers(of topic: Topic) -> Int { board.viewers(of: topic) }

    /// Replaces the error for an unavailable run with `unknownRun` unless the audience may see the run.
    func hidden(_ error: BoardError, _ id: String) -> BoardError {
        guard !visibility.isWhole else { return error }
        switch error.code {
        case .removedRun, .deletedRun: return .unknownRun(id)
        case .notRecorded:
            let operation = board.runs[id]?.operation
            let isSeen = operation.map { permissions.allows(.see, onRun: id, of: $0) } ?? false
            return isSeen ? error : .unknownRun(id)
        default: return error
        }
    }
}

extension BoardError {
    /// The error for a missing permission on something visible.
    static var notAllowed: BoardError {
        BoardError(.notAllowed, .notAllowed)
    }
}

/// What an audience may see of a board.
struct Visibility: Sendable {
    let permissions: Permissions
    /// Whether everything is visible, including operations and stores that left the catalog.
    let isWhole: Bool
    let operations: Set<String>
    let stores: Set<String>
    /// Thirteen letters and digits that identify the visible part of the board; nil for the whole board.
    let label: String?

    init(_ permissions: Permissions, of catalog: Catalog) {
        self.permissions = permissions
        isWhole = permissions.allowsEverywhere(.see)
        operations = Set(catalog.entries.map(\.id).filter { permissions.allows(.see, on: .operation($0)) })
        stores = Set(catalog.stores.map(\.id).filter { permissions.allows(.see, on: .store($0)) })
        label = isWhole ? nil : Audience(permissions.only(.see)).label
    }

    func sees(operation id: String) -> Bool { isWhole || operations.contains(id) }

    /// Whether a run is visible: through its operation, or through a link to the run.
    func sees(_ record: RunRecord) -> Bool {
        isWhole || permissions.allows(.see, onRun: record.id, of: record.operation)
    }

    /// Whether a change belongs to the audience's board.
    func sees(_ change: Change) -> Bool {
        guard !isWhole else { return true }
        return switch change.stream {
        case .run: operations.contains(change.subject)
        case .store(let id): stores.contains(id)
        }
    }

    /// The topics whose changes belong to the audience's board.
    var topics: [Topic] { operations.map(Topic.operation) + stores.map(Topic.store) }

    func part(of catalog: Catalog) -> Catalog {
        guard !isWhole else { return catalog }
        var part = Catalog()
        part.edition = catalog.edition
        for entry in catalog.entries where operations.contains(entry.id) { part.add(entry) }
        for entry in catalog.stores where stores.contains(entry.id) { part.add(entry) }
        return part
    }

    /// The visible part of a board.
    ///
    /// - Parameters:
    ///   - board: The whole board.
    ///   - sequence: The sequence of the last visible change.
    ///   - others: Runs that may belong to the newest visible ones, in addition to those that the board lists.
    /// - Returns: The board as the audience sees it.
    func part(of board: BoardView, at sequence: SequenceNumber, with others: [RunView] = []) -> BoardView {
        let operations = board.operations.filter { self.operations.contains($0.id) }
        var newest: [String: RunView] = [:]
        // The board's own views come last, because they are never older. Filtered by operation, like changes: a link to
        // a run does not make it part of the board.
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
