import WeirFlows
package import WeirJournals

/// The journal's tail in memory: what open pages are answered from, and what wakes those who wait.
///
/// A change is published here only after it was recorded. All methods return at once and may be called from anywhere.
package final class Feed: Sendable {
    private let fold: Locked<BoardFold>
    let machine: Locked<FeedMachine>
    /// The feeds of audiences that may not see everything.
    ///
    /// The lock is held while something is published, so that each
    /// begins right behind one publication.
    let projections = Locked<[HeldProjection]>([])

    init(fold: BoardFold, machine: FeedMachine) {
        self.fold = Locked(fold)
        self.machine = Locked(machine)
    }

    /// The sequence of the topic's last change; 0 when it has none.
    package func head(of topic: Topic) -> SequenceNumber { machine.withLock { $0.head(of: topic) } }

    /// The sequence of the topic's last change that is no longer in memory, or before which some are removed; 0 while all are
    /// there.
    package func floor(of topic: Topic) -> SequenceNumber { machine.withLock { $0.floor(of: topic) } }

    /// The sequence of the topic's last change that is known to be removed from the journal; 0 while there is none.
    func removed(of topic: Topic) -> SequenceNumber { machine.withLock { $0.removed(of: topic) } }

    /// How often pages of the present came to show something else without a change, such as when retention removed runs.
    package var rewrites: Int { machine.withLock { $0.rewrites } }

    /// The topic's publications after a cursor, oldest first, at most so many.
    package func slice(of topic: Topic, after: SequenceNumber, limit: Int) -> FeedSlice {
        machine.withLock { $0.slice(of: topic, after: after, limit: limit) }
    }

    /// The publication of that change, if it is in memory.
    package func publication(at sequence: SequenceNumber) -> Publication? {
        machine.withLock { $0.publication(at: sequence) }
    }

    /// Calls back after publications that belong to the topic, with the topic's new head, and once more when a run's output
    /// ends.
    ///
    /// Never under a lock and never on two threads at once for one observation; publications that come while a call is
    /// going on are told by one further call, with the newest head. Registering and looking at the head are one step: if
    /// the head is beyond `after` already, the first call comes at once, from within this one.
    /// - Parameters:
    ///   - topic: What to follow.
    ///   - after: How far the caller has read; nil to be called for new publications only.
    ///   - onPublish: What to call.
    /// - Returns: What ends the calls when it is cancelled or dropped.
    package func observe(
        _ topic: Topic, after: SequenceNumber? = nil, onPublish: @escaping @Sendable (SequenceNumber) -> Void
    ) -> FeedObservation {
        let observer = FeedObserver(onPublish)
        let head = machine.withLock { $0.observe(topic, after: after, observer) }
        if let head { observer.tell(head) }
        return FeedObservation { [weak self] in
            observer.cancel()
            self?.machine.withLock { $0.leave(topic, observer) }
        }
    }

    // MARK: For the board

    /// The board after the last publication.
    var board: BoardView { machine.withLock { $0.board } }

    /// A run's view after its last change at or before a sequence; nil when that is not in memory.
    func run(_ id: String, through sequence: SequenceNumber = .max) -> RunView? {
        machine.withLock { $0.run(id, through: sequence) }
    }

    /// A store's view after its last change at or before a sequence; nil when that is not in memory.
    func store(_ id: String, through sequence: SequenceNumber) -> StoreView? {
        machine.withLock { $0.store(id, through: sequence) }
    }

    /// The topic's last publication at or before a sequence, with its neighbours' sequences; nil when not in memory.
    func moment(
        of topic: Topic, through sequence: SequenceNumber
    ) -> (publication: Publication, previous: SequenceNumber?, next: SequenceNumber?)? {
        machine.withLock { $0.moment(of: topic, through: sequence) }
    }

    /// Publishes recorded changes.
    ///
    /// Called by one at a time, in the order of the sequences.
    func publish(_ changes: [Change]) {
        let calls = projections.withLock { projections in
            let publications = fold.withLock { fold in changes.map { fold.apply($0) } }
            var calls = machine.withLock { $0.publish(publications.map { ($0, $0.size) }) }
            projections.removeAll { $0.projection == nil }
            for held in projections { calls += held.projection?.publish(publications) ?? [] }
            return calls
        }
        for (observer, head) in calls { observer.tell(head) }
    }

    /// Takes runs out of everything that shows the present.
    func forget(_ runs: Set<String>) {
        projections.withLock { projections in
            fold.withLock { $0.forget(runs) }
            machine.withLock { $0.forget(runs) }
            for held in projections { held.projection?.refresh(from: board, without: runs) }
        }
    }

    /// Takes note of what the journal has removed of topics, and of how far all that it keeps is published.
    ///
    /// Whoever stands before something that is removed is told of a gap, also where what is left is in memory.
    func note(_ removed: [Topic: SequenceNumber], published head: SequenceNumber) {
        let calls = projections.withLock { projections in
            var calls = machine.withLock { $0.note(removed, published: head) }
            for held in projections { calls += held.projection?.note(removed, published: head) ?? [] }
            return calls
        }
        for (observer, head) in calls { observer.tell(head) }
    }

    /// Changes the lists of runs of all that shows the present.
    func rewriteBoards(_ transform: (BoardView) -> BoardView) {
        projections.withLock { projections in
            fold.withLock { $0.rewriteBoard(transform) }
            machine.withLock { $0.rewriteBoards(transform) }
            for held in projections { held.projection?.refresh(from: board) }
        }
    }

    /// Makes a run known that was read from the journal.
    func remember(_ run: RunView) { machine.withLock { $0.remember(run) } }
}
