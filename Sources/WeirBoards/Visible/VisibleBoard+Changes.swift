import WeirAccess
package import WeirJournals

extension VisibleBoard {
    /// How many changes are looked through for one answer, for those that may be seen.
    private static let mostLookedThrough = 10_000

    /// The topic's changes after a cursor, oldest first.
    ///
    /// Of the board, those that may be seen. Where there are few among very many others, the slice says that more follow
    /// and may have none.
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
        // Nothing that may be seen stands behind it, so a cursor never does either.
        let head = feed.head(of: .board)
        switch feed.slice(of: .board, after: from, limit: limit) {
        case .some(let publications, let more):
            var portion = Portion<Change>(limit: limit)
            portion.add(publications.lazy.map(\.change), size: \.size)
            return ChangeSlice(portion.elements, from: from, more: more || portion.isCut, lost: nil)
        case .none, .future:
            return ChangeSlice([], from: from, more: false, lost: nil)
        case .gap: break
        }
        return try await board.read {
            var found = Portion<Change>(limit: limit)
            var (cursor, lookedThrough, isOver) = (from, 0, false)
            while !found.isCut, !isOver, lookedThrough < Self.mostLookedThrough {
                let count = found.batch
                let page = try await board.journal.changes(of: .board, after: cursor, through: head, limit: count)
                found.add(page, size: \.size, where: visibility.sees)
                cursor = page.last?.sequence ?? head
                lookedThrough += page.count
                isOver = page.count < count
            }
            // Asked afterwards: what is removed in between counts as lost rather than as never there.
            let floor = after == nil ? 0 : try await board.journal.floor(of: .board)
            let (changes, isCut) = (found.elements, found.isCut)
            let end = isCut ? changes.last?.sequence ?? from : isOver ? max(from, head) : cursor
            return ChangeSlice(
                changes: changes, from: from, to: end, more: isCut || !isOver,
                lost: from < floor ? from.next...floor : nil)
        }
    }
}
