import WeirFlows
package import WeirJournals

/// The journal's tail in memory: serves open pages, and notifies waiting observers.
///
/// A change is published only after it is recorded. All methods are thread-safe and do not suspend.
package final class Feed: Sendable {
    private let fold: Locked<BoardFold>
    let machine: Locked<FeedMachine>
    /// The feeds of audiences with restricted access.
    ///
    /// The lock is held during a publication, so that each projection begins right after a complete publication.
    let projections = Locked<[HeldProjection]>([])
    private let unfinishedObservers = Locked<[ObjectIdentifier: UnfinishedObserver]>([:])

    init(fold: BoardFold, machine: FeedMachine) {
        self.fold = Locked(fold)
        self.machine = Locked(machine)
    }

    /// The sequence of the topic's last change, or 0 if it has none.
    package func head(of topic: Topic) -> SequenceNumber { machine.withLock { $0.head(of: topic) } }

    /// The sequence of the topic's last change that is no longer in memory, or up to which changes are removed; 0 if
    /// all are in memory.
    func floor(of topic: Topic) -> SequenceNumber { machine.withLock { $0.floor(of: topic) } }

    /// The floor of a topic without deletions: a cursor from there on lacks nothing but deleted runs.
    func floorWithoutDeletions(of topic: Topic) -> SequenceNumber {
        machine.withLock { $0.floorWithoutDeletions(of: topic) }
    }

    /// The sequence of the topic's last change that is known to be removed from the journal, or 0.
    func removed(of topic: Topic) -> SequenceNumber { machine.withLock { $0.removed(of: topic) } }

    /// The number of times that current pages changed without a recorded change, such as by retention.
    var rewrites: Int { machine.withLock { $0.rewrites } }

    /// Up to `limit` publications of the topic after a cursor, oldest first.
    package func slice(of topic: Topic, after: SequenceNumber, limit: Int) -> FeedSlice {
        machine.withLock { $0.slice(of: topic, after: after, limit: limit) }
    }

    func publication(at sequence: SequenceNumber) -> Publication? {
        machine.withLock { $0.publication(at: sequence) }
    }

    /// Calls a closure with the topic's new head after publications of the topic, and once more when a run's output
    /// ends.
    ///
    /// Calls are made without holding a lock, one at a time per observation. Publications during a call are combined
    /// into one further call with the newest head. Registering and reading the head are atomic: if the head exceeds
    /// `after`, the first call is made before this method returns.
    /// - Parameters:
    ///   - topic: The topic to observe.
    ///   - after: The cursor of the caller, or nil for new publications only.
    ///   - onPublish: The closure.
    /// - Returns: An observation that ends when it is cancelled or released.
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

    var board: BoardView { machine.withLock { $0.board } }

    /// A run after its last change at or before a sequence, or nil if that is not in memory.
    func run(_ id: String, through sequence: SequenceNumber = .max) -> RunView? {
        machine.withLock { $0.run(id, through: sequence) }
    }

    /// A store after its last change at or before a sequence, or nil if that is not in memory.
    func store(_ id: String, through sequence: SequenceNumber) -> StoreView? {
        machine.withLock { $0.store(id, through: sequence) }
    }

    /// The topic's last publication at or before a sequence, with its neighbours' sequences, or nil if it is not in
    /// memory.
    func moment(
        of topic: Topic, through sequence: SequenceNumber
    ) -> (publication: Publication, previous: SequenceNumber?, next: SequenceNumber?)? {
        machine.withLock { $0.moment(of: topic, through: sequence) }
    }

    /// Publishes recorded changes.
    ///
    /// Calls must not overlap, and must be in the order of the sequences.
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

    func forget(_ runs: Set<String>) {
        projections.withLock { projections in
            fold.withLock { $0.forget(runs) }
            machine.withLock { $0.forget(runs) }
            for held in projections { held.projection?.refresh(from: board, without: runs) }
        }
    }

    /// Notes the removals of each topic, and up to which sequence all kept changes are published.
    ///
    /// A cursor before a removal then gets a gap, even if the remaining changes are in memory.
    func note(_ removed: [Topic: SequenceNumber], published head: SequenceNumber, isDeletion: Bool = false) {
        let calls = projections.withLock { projections in
            var calls = machine.withLock { $0.note(removed, published: head, isDeletion: isDeletion) }
            for held in projections {
                calls += held.projection?.note(removed, published: head, isDeletion: isDeletion) ?? []
            }
            return calls
        }
        for (observer, head) in calls { observer.tell(head) }
    }

    func rewriteBoards(_ transform: (BoardView) -> BoardView) {
        projections.withLock { projections in
            fold.withLock { $0.rewriteBoard(transform) }
            machine.withLock { $0.rewriteBoards(transform) }
            for held in projections { held.projection?.refresh(from: board) }
        }
    }

    func remember(_ run: RunView) { machine.withLock { $0.remember(run) } }
}

extension Feed {
    /// The newest lines of a run's output, or nil if it is not in memory; use `Board.outputTail(of:)` then.
    package func output(of run: String) -> OutputTail? { machine.withLock { $0.outputs[run] } }

    var openOutputs: [String] { machine.withLock { $0.outputs.open } }

    func openOutput(of run: String) { machine.withLock { $0.outputs.open(run) } }

    /// Publishes recorded lines, and in the same step the unfinished lines that follow them; nil for no change.
    func publish(_ lines: [OutputLine], _ unfinished: UnfinishedLines? = nil, of run: String) {
        for (observer, head) in machine.withLock({ $0.publish(lines, unfinished, of: run) }) { observer.tell(head) }
    }

    func closeOutput(of run: String) {
        for (observer, head) in machine.withLock({ $0.closeOutput(of: run) }) { observer.tell(head, isEnd: true) }
    }

    func show(_ unfinished: UnfinishedLines, of run: String) {
        guard machine.withLock({ $0.outputs.show(unfinished, of: run) }) else { return }
        for observer in unfinishedObservers.withLock({ Array($0.values) }) { observer.onChange(run) }
    }

    /// Calls a closure with a run whose unfinished lines have changed without a new line.
    func observeUnfinished(_ onChange: @escaping @Sendable (String) -> Void) -> FeedObservation {
        let observer = UnfinishedObserver(onChange: onChange)
        unfinishedObservers.withLock { $0[ObjectIdentifier(observer)] = observer }
        return FeedObservation { [weak self] in
            self?.unfinishedObservers.withLock { $0[ObjectIdentifier(observer)] = nil }
        }
    }

    func remember(_ tail: OutputTail, of run: String) { machine.withLock { $0.outputs.remember(tail, of: run) } }
}

private final class UnfinishedObserver: Sendable {
    let onChange: @Sendable (String) -> Void

    init(onChange: @escaping @Sendable (String) -> Void) { self.onChange = onChange }
}

/// An observation of a topic, which ends when it is cancelled or released.
package final class FeedObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends the observation: no call begins after this returns, but a call in progress on another thread continues.
    ///
    /// May be called more than once.
    package func cancel() { end() }

    deinit { end() }
}
