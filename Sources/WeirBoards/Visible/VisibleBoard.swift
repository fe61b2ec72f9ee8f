package import WeirAccess
package import WeirFlows
package import WeirJournals
import WeirOperations
import WeirStates

/// A board as one audience sees it: what may not be seen is not there, whichever way it is reached, and what may not be
/// done is refused.
///
/// What is asked for and may not be seen is answered as what there has never been, in the same words.
package final class VisibleBoard: Sendable {
    let board: Board
    let visibility: Visibility
    /// What can be run and acted on, as far as it may be seen.
    package let catalog: Catalog
    /// The journal's tail in memory, as far as it may be seen.
    package let feed: VisibleFeed

    private init(_ board: Board, _ visibility: Visibility, projection: FeedProjection?) {
        self.board = board
        self.visibility = visibility
        catalog = visibility.part(of: board.catalog)
        feed = VisibleFeed(board.feed, visibility: visibility, projection: projection)
    }

    /// The board for those who may do everything.
    package convenience init(whole board: Board) {
        self.init(board, Visibility(.everything, of: board.catalog), projection: nil)
    }

    /// The board for those who may see nothing.
    package convenience init(nothingOf board: Board) {
        let visibility = Visibility(.nothing, of: board.catalog)
        self.init(board, visibility, projection: board.feed.project(visibility, recent: []))
    }

    /// The board for those who have these permissions.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    package convenience init(_ board: Board, for permissions: Permissions) async throws(BoardError) {
        let visibility = Visibility(permissions, of: board.catalog)
        guard !visibility.isWhole else {
            self.init(board, visibility, projection: nil)
            return
        }
        let recent = try await board.newestRuns(of: visibility.operations)
        self.init(board, visibility, projection: board.feed.project(visibility, recent: recent))
    }

    /// What pages need to know of the catalog: also of the operation of the one run that a link shows.
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

    /// What those who see this board may do.
    package var permissions: Permissions { visibility.permissions }
    /// Stands for what of the board may be seen, in every process; nil where that is everything.
    ///
    /// All other feeds are seen whole or not at all, so that a place in them means the same to everybody.
    package var label: String? { visibility.label }
    /// Names the history that all sequences belong to.
    package var epoch: String { board.epoch }
    /// Whether what happens is being written down.
    package var recording: RecordingStatus { board.recording }

    /// What this server does on its journal.
    package var role: BoardRole { board.role.value }

    /// Whether other servers may use the journal, too.
    package var isShared: Bool { board.membership != nil }

    /// Whether a change of that sequence, and every earlier one, is shown here to those who may see it.
    package func hasShown(_ sequence: SequenceNumber) -> Bool { board.feed.head(of: .board) >= sequence }

    /// Whether a change may be recorded that is not shown here, after waiting for it for at most two seconds.
    ///
    /// A reader who comes from another server may have come further than this one. False only if the journal has no such change.
    package func mayBeRecorded(_ sequence: SequenceNumber) async -> Bool { await board.mayBeRecorded(sequence) }

    /// Whether all was shown here that the journal held when it was looked into last; not while it cannot be.
    package var isCurrent: Bool { board.recorder.follower.isCurrent }

    /// Looks into the journal soon, as a reader has come further than this server; where it cannot, `isCurrent` is false from then on.
    package func lookSoon() { Task { [board] in try? await board.recorder.follower.catchUp() } }

    /// The servers of a shared journal, by their names; none where there can be no others.
    package var nodes: [NodeView] { board.nodes }
    /// Whether what happens is being written down, as it changes.
    package var recordingStatus: ReadOnlyStateFlow<RecordingStatus> { board.recordingStatus }
    /// The removal of old runs that is to come, for administrators.
    package var announcedRemoval: ReadOnlyStateFlow<AnnouncedRemoval?> {
        administers ? board.announcedRemoval : MutableStateFlow(nil).asStateFlow()
    }
    /// Why the settings that were read last are not in force, for administrators.
    package var refusedSettings: ReadOnlyStateFlow<RefusedSettings?> {
        administers ? board.refusedSettings.asStateFlow() : MutableStateFlow(nil).asStateFlow()
    }
    /// What an operator should know about the journal, for those who look after the server.
    package var notices: [JournalNotice] { administers ? board.notices : [] }
    /// The same as it changes.
    package var currentNotices: ReadOnlyStateFlow<[JournalNotice]> {
        administers ? board.currentNotices : MutableStateFlow<[JournalNotice]>([]).asStateFlow()
    }
    /// Whether an import is going on.
    package var isImporting: Bool { board.isImporting }

    /// Whether those who see this board look after the server.
    package var administers: Bool { permissions.allows(.administer, on: .server) }

    /// Says that somebody looks at a topic: of what runs only while watched, what they may see begins.
    package func watch(_ topic: Topic) -> Watch {
        guard !visibility.isWhole else { return board.watch(topic) }
        guard feed.sees(topic) else { return Watch(topic: topic) {} }
        return board.watching.watch(topic, of: visibility.operations)
    }

    /// How many look at exactly that topic, on any board.
    package func viewers(of topic: Topic) -> Int { board.viewers(of: topic) }

    // MARK: Rights

    /// Refuses what may not be done to an operation.
    func require(_ verb: Verb, onOperation id: String) throws(BoardError) {
        guard visibility.isWhole || visibility.operations.contains(id) else { throw .unknownOperation(id) }
        guard permissions.allows(verb, on: .operation(id)) else { throw .notAllowed }
    }

    /// Refuses what may not be done to a store.
    func require(_ verb: Verb, onStore id: String) throws(BoardError) {
        guard visibility.isWhole || visibility.stores.contains(id) else { throw .unknownStore(id) }
        guard permissions.allows(verb, on: .store(id)) else { throw .notAllowed }
    }

    /// Refuses what may not be done to a run, and names its operation.
    ///
    /// Throws as `run(_:)` does.
    @discardableResult
    package func require(_ verb: Verb, onRun id: String) async throws(BoardError) -> String {
        let operation: String
        if let live = board.runs[id] {
            operation = live.operation
            guard visibility.isWhole || permissions.allows(.see, onRun: id, of: operation) else {
                throw .unknownRun(id)
            }
        } else {
            operation = try await run(id).record.operation
        }
        guard permissions.allows(verb, onRun: id, of: operation) else { throw .notAllowed }
        return operation
    }

    /// What is said where a run is not to be had: to those who do not see everything, that there has never been one.
    func hidden(_ error: BoardError, _ id: String) -> BoardError {
        guard !visibility.isWhole else { return error }
        switch error.code {
        case .removedRun: return .unknownRun(id)
        case .notRecorded:
            let operation = board.runs[id]?.operation
            let isSeen = operation.map { permissions.allows(.see, onRun: id, of: $0) } ?? false
            return isSeen ? error : .unknownRun(id)
        default: return error
        }
    }
}

extension BoardError {
    /// For one who may see something, and not do that to it.
    static var notAllowed: BoardError {
        BoardError(.notAllowed, .notAllowed)
    }
}
