import WeirFlows
import WeirJournals

extension Feed {
    /// A projection that is let go of when nobody else holds it.
    struct HeldProjection: Sendable {
        weak var projection: FeedProjection?
    }

    /// A feed of the board as an audience sees it, which goes on with the next publication.
    ///
    /// - Parameters:
    ///   - visibility: What the audience may see.
    ///   - recent: The newest runs that it may see, so that its list is as long as others'.
    /// - Returns: The feed, which ends when nobody holds it any more.
    func project(_ visibility: Visibility, recent: [RunView]) -> FeedProjection {
        projections.withLock { projections in
            let (board, head, past, removed) = machine.withLock { machine in
                (
                    machine.board, visibility.topics.map { machine.head(of: $0) }.max() ?? 0,
                    machine.newest(FeedProjection.countLimit),
                    visibility.topics.map { ($0, machine.removed(of: $0)) }
                )
            }
            // What was read before may have gone on since.
            let newest = recent.map { run(String($0.record.id)) ?? $0 }
            let projection = FeedProjection(
                visibility, past: past.publications, after: min(past.floor, head), board: board, newest: newest)
            _ = projection.note(Dictionary(removed) { $1 }, published: board.sequence)
            projections.removeAll { $0.projection == nil }
            projections.append(HeldProjection(projection: projection))
            return projection
        }
    }
}
