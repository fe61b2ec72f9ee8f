import WeirAccess
import WeirFlows
package import WeirJournals

/// The part of the journal's tail in memory that an audience may see.
package final class VisibleFeed: Sendable {
    private let feed: Feed
    private let visibility: Visibility
    /// The audience's own board feed; nil if everything is visible.
    let projection: FeedProjection?
    /// The operations of runs that are no longer in memory.
    private let known = Locked<[String: String]>([:])

    init(_ feed: Feed, visibility: Visibility, projection: FeedProjection?) {
        self.feed = feed
        self.visibility = visibility
        self.projection = projection
    }

    /// The sequence of the topic's last visible change, or 0 without one.
    package func head(of topic: Topic) -> SequenceNumber {
        guard let projection else { return feed.head(of: topic) }
        if topic == .board { return projection.head }
        return sees(topic) ? feed.head(of: topic) : 0
    }

    /// The sequence of the topic's last change that is no longer in memory; 0 if all are.
    package func floor(of topic: Topic) -> SequenceNumber {
        guard let projection else { return feed.floor(of: topic) }
        if topic == .board { return projection.floor }
        return sees(topic) ? feed.floor(of: topic) : 0
    }

    /// The floor of a topic without deletions: a cursor from there on lacks nothing but deleted runs.
    package func floorWithoutDeletions(of topic: Topic) -> SequenceNumber {
        guard let projection else { return feed.floorWithoutDeletions(of: topic) }
        if topic == .board { return projection.floorWithoutDeletions }
        return sees(topic) ? feed.floorWithoutDeletions(of: topic) : 0
    }

    /// The number of times that the current pages changed without a change of the feed, such as by retention.
    package var rewrites: Int { feed.rewrites &+ (projection?.rewrites ?? 0) }

    /// At most `limit` publications of the topic after a cursor, oldest first.
    package func slice(of topic: Topic, after: SequenceNumber, limit: Int) -> FeedSlice {
        let newest = { [feed] in feed.machine.withLock { $0.slice(of: topic, after: after, limit: limit) } }
        guard let projection else { return newest() }
        if topic == .board { return projection.slice(after: after, limit: limit) }
        guard sees(topic) else { return .none }
        let slice = newest()
        guard case .some(let publications, let more) = slice else { return slice }
        return .some(publications.map(seen), more: more)
    }

    /// The publication of that change, if it is in memory and visible.
    package func publication(at sequence: SequenceNumber) -> Publication? {
        guard let projection else { return feed.publication(at: sequence) }
        if let publication = projection.publication(at: sequence) { return publication }
        return feed.publication(at: sequence).flatMap { publication in
            let isSeen = publication.run.map { visibility.sees($0.record) } ?? visibility.sees(publication.change)
            return isSeen ? seen(publication) : nil
        }
    }

    /// Calls `onPublish` with the topic's new head after each publication, as `Feed.observe` does.
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

    /// The newest lines of a run's output; nil if they are not in memory, see `VisibleBoard.outputTail(of:)`.
    package func output(of run: String) -> OutputTail? {
        guard projection == nil || sees(.run(run)) else { return nil }
        return feed.output(of: run)
    }

    /// Calls a closure with a run whose unfinished lines have changed, also with one that is not visible.
    package func observeUnfinished(_ onChange: @escaping @Sendable (String) -> Void) -> FeedObservation {
        feed.observeUnfinished(onChange)
    }

    /// Whether a topic is visible; false for a run that is not in memory.
    func sees(_ topic: Topic) -> Bool {
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

    /// Stores the operation of a run for `sees(_:)`.
    func remember(_ record: RunRecord) {
        guard projection != nil else { return }
        known.withLock { known in
            if known.count >= 10_000 { known = [:] }
            known[record.id] = record.operation
        }
    }

    /// The publication with only the visible part of its board.
    private func seen(_ publication: Publication) -> Publication {
        publication.with(visibility.part(of: publication.board, at: publication.change.sequence))
    }
}

/// The board feed of an audience with limited visibility: its own head, floor and publications, each with the board as
/// the audience sees it.
///
/// Every other topic is either entirely visible or hidden, so only the board needs a separate feed.
final class FeedProjection: Sendable {
    /// The maximum number of publications; a client that is further behind reloads the page.
    static let countLimit = 1_000
    /// The approximate maximum size of the publications in bytes.
    static let byteLimit = 8 * 1_024 * 1_024

    private let visibility: Visibility
    private let machine: Locked<FeedMachine>

    /// Creates the feed with the history that is in memory.
    ///
    /// - Parameters:
    ///   - visibility: The audience's visibility.
    ///   - past: The newest publications of the whole board, oldest first.
    ///   - floor: The sequence after which `past` is complete.
    ///   - board: The whole current board.
    ///   - newest: The newest visible runs.
    init(
        _ visibility: Visibility, past: [Publication], after floor: SequenceNumber, board: BoardView,
        newest: [RunView]
    ) {
        self.visibility = visibility
        var machine = FeedMachine(
            fold: BoardFold(board: visibility.part(of: board, at: floor, with: newest)), countLimit: Self.countLimit,
            byteLimit: Self.byteLimit, settledLimit: Self.countLimit)
        let seen = past.filter { visibility.sees($0.change) }.map { publication in
            let sequence = publication.change.sequence
            let before = newest.filter { $0.record.openedSequence <= sequence }
            let seen = publication.with(visibility.part(of: publication.board, at: sequence, with: before))
            return (publication: seen, size: seen.size)
        }
        _ = machine.publish(seen)
        machine.rewriteBoards { visibility.part(of: board, at: $0.sequence, with: newest) }
        self.machine = Locked(machine)
    }

    var board: BoardView { machine.withLock { $0.board } }
    var head: SequenceNumber { machine.withLock { $0.head(of: .board) } }
    var floor: SequenceNumber { machine.withLock { $0.floor(of: .board) } }
    var floorWithoutDeletions: SequenceNumber { machine.withLock { $0.floorWithoutDeletions(of: .board) } }
    var rewrites: Int { machine.withLock { $0.rewrites } }

    func slice(after: SequenceNumber, limit: Int) -> FeedSlice {
        machine.withLock { $0.slice(of: .board, after: after, limit: limit) }
    }

    /// The publication of that change, with the board right after it; nil if it is not in memory here.
    func publication(at sequence: SequenceNumber) -> Publication? {
        machine.withLock { $0.publication(at: sequence) }
    }

    func observe(_ after: SequenceNumber?, _ observer: FeedObserver) -> SequenceNumber? {
        machine.withLock { $0.observe(.board, after: after, observer) }
    }

    func leave(_ observer: FeedObserver) { machine.withLock { $0.leave(.board, observer) } }

    // MARK: Updates from the feed

    /// Adds the visible publications; returns the observers to call.
    func publish(_ publications: [Publication]) -> [FeedMachine.Call] {
        let visible = publications.filter { visibility.sees($0.change) }
        guard !visible.isEmpty else { return [] }
        return machine.withLock { machine in
            var board = machine.board
            return machine.publish(
                visible.map { publication in
                    board = board.applying(publication)
                    let seen = publication.with(board)
                    return (seen, seen.size)
                })
        }
    }

    /// Records what the journal removed from the visible topics; returns the observers to call.
    func note(
        _ removed: [Topic: SequenceNumber], published head: SequenceNumber, isDeletion: Bool = false
    ) -> [FeedMachine.Call] {
        guard let last = visibility.topics.compactMap({ removed[$0] }).max() else { return [] }
        return machine.withLock { $0.note([.board: last], published: head, isDeletion: isDeletion) }
    }

    /// Replaces the board after runs were removed from it or its lists were reloaded.
    func refresh(from whole: BoardView, without gone: Set<String> = []) {
        machine.withLock { machine in
            machine.rewriteBoards { board in
                let kept = board.recentRuns.filter { !gone.contains($0.record.id) }
                return self.visibility.part(of: whole, at: board.sequence, with: kept)
            }
        }
    }
}

extension BoardView {
    fileprivate func applying(_ publication: Publication) -> BoardView {
        switch publication.change.stream {
        case .run: applying(publication.change, before: publication.before, after: publication.run)
        case .store: applying(publication.change, store: publication.store)
        }
    }
}

extension Feed {
    struct HeldProjection: Sendable {
        weak var projection: FeedProjection?
    }

    /// Creates an audience's feed of the board, which continues with the next publication while it is retained.
    ///
    /// `recent` are the newest visible runs, so that the audience's list is complete.
    func project(_ visibility: Visibility, recent: [RunView]) -> FeedProjection {
        projections.withLock { projections in
            let (board, head, past, removed, pruned) = machine.withLock { machine in
                (
                    machine.board, visibility.topics.map { machine.head(of: $0) }.max() ?? 0,
                    machine.newest(FeedProjection.countLimit),
                    visibility.topics.map { ($0, machine.removed(of: $0)) },
                    visibility.topics.map { ($0, machine.prunedSequence(of: $0)) }
                )
            }
            // The runs may have changed since they were read.
            let newest = recent.map { run(String($0.record.id)) ?? $0 }
            let projection = FeedProjection(
                visibility, past: past.publications, after: min(past.floor, head), board: board, newest: newest)
            _ = projection.note(Dictionary(pruned) { $1 }, published: board.sequence)
            _ = projection.note(Dictionary(removed) { $1 }, published: board.sequence, isDeletion: true)
            projections.removeAll { $0.projection == nil }
            projections.append(HeldProjection(projection: projection))
            return projection
        }
    }
}
