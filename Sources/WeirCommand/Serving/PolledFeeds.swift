import WeirBoards
import WeirFlows
import WeirJournals

/// Keeps feeds going that poll also while nobody watches: it watches them itself.
final class PolledFeeds: Sendable {
    private let watches = Locked<[String: WeirBoards.Watch]>([:])

    /// Watches these, and none of the others any more.
    func keep(_ ids: [String], on board: Board) {
        // A watch of before may be one of an operation that was gone meanwhile.
        let next = Dictionary(ids.map { ($0, board.watch(.operation($0))) }) { $1 }
        let old = watches.withLock { watches in
            defer { watches = next }
            return watches
        }
        for watch in old.values { watch.release() }
    }
}
