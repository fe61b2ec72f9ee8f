import WeirAccess
import WeirFlows
package import WeirJournals

/// The journal's tail in memory, as far as an audience may see it: of everything else it knows nothing.
package final class VisibleFeed: Sendable {
    private let feed: Feed
    private let visibility: Visibility
    /// The feed of the audience's board; nil where the audience may see everything.
    let projection: FeedProjection?
    /// To which operation runs belong that memory no longer knows.
    private let known = Locked<[String: String]>([:])

    init(_ feed: Feed, visibility: Visibility, projection: FeedProjection?) {
        self.feed = feed
        self.visibility = visibility
        self.projection = projection
    }

    /// The sequence of the topic's last change; 0 when it has none that may be seen.
    package func head(of topic: Topic) -> SequenceNumber {
        guard let projection else { return feed.head(of: topic) }
        if topic == .board { return projection.head }
        return sees(topic) ? feed.head(of: topic) : 0
    }

    /// The sequence of the topic's last change that is no longer in memory; 0 while all are.
    package func floor(of topic: Topic) -> SequenceNumber {
        guard let projection else { return feed.floor(of: topic) }
        if topic == .board { return projection.floor }
        return sees(topic) ? feed.floor(of: topic) : 0
    }

    /// How often pages of the present came to show something else without a change, such as when retention removed runs.
    package var rewrites: Int { feed.rewrites &+ (projection?.rewrites ?? 0) }

    /// The topic's publications after a cursor, oldest first, at most so many.
    package func slice(of topic: Topic, after: SequenceNumber, limit: Int) -> FeedSlice {
        guard let projection else { return feed.slice(of: topic, after: after, limit: limit) }
        if topic == .board { return projection.slice(after: after, limit: limit) }
        guard sees(topic) else { return .none }
        let slice = feed.slice(of: topic, after: after, limit: limit)
        guard case .some(let publications, let more) = slice else { return slice }
        return .some(publications.map(seen), more: more)
    }

    /// The publication of that change, if it is in memory and may be seen.
    package func publication(at sequence: SequenceNumber) -> Publication? {
        guard let projection else { return feed.publication(at: sequence) }
        if let publication = projection.publication(at: sequence) { return publication }
        return feed.publication(at: sequence).flatMap { publication in
            let isSeen = publication.run.map { visibility.sees($0.record) } ?? visibility.sees(publication.change)
            return isSeen ? seen(publication) : nil
        }
    }

    /// Calls back after publications that belong to the topic, with the topic's new head, as `Feed.observe` does.
    package func observe(
        _ topic: Topic, after: SequenceNumber? = nil, onPublish: @escaping @Sendable (SequenceNumber) -> Void
    ) -> FeedObservation {
        guard let projection else { return feed.observe(topic, after: after, onPublish: onPublish) }
        guard topic == .board else {
            guard sees(topic) else { return FeedObservation {} }
            return feed.observe(topic, after: after, onPublish: onPublish)
        }
        let observer = FeedObserver(onPublish)
        if let head = projection.observe(after, observer) { observer.tell(head) }
        return FeedObservation { [weak projection] in
            observer.cancel()
            projection?.leave(observer)
        }
    }

    /// The newest lines of a run's output; nil when memory does not know them: ask `VisibleBoard.outputTail(of:)`.
    package func output(of run: String) -> OutputTail? {
        guard projection == nil || sees(.run(run)) else { return nil }
        return feed.output(of: run)
    }

    /// Whether what happens in a topic may be seen; false also where memory does not know.
    package func sees(_ topic: Topic) -> Bool {
        guard !visibility.isWhole else { return true }
        switch topic {
        case .board: return true
        case .operation(let id): return visibility.operations.contains(id)
        case .store(let id): return visibility.stores.contains(id)
        case .run(let id), .output(let id):
            let operation = feed.run(id)?.record.operation ?? known.withLock { $0[id] }
            return operation.map { visibility.permissions.allows(.see, onRun: id, of: $0) } ?? false
        }
    }

    /// Makes known to which operation a run belongs.
    func remember(_ record: RunRecord) {
        guard projection != nil else { return }
        known.withLock { known in
            if known.count >= 10_000 { known = [:] }
            known[record.id] = record.operation
        }
    }

    /// The publication with nothing on its board but what may be seen.
    private func seen(_ publication: Publication) -> Publication {
        publication.with(visibility.part(of: publication.board, at: publication.change.sequence))
    }
}
