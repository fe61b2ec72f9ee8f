import Flows
public import Journals

/// The journal's tail in memory: what open pages are answered from, and what wakes those who wait.
///
/// A change is published here only after it was recorded. All methods return at once and may be called from anywhere.
public final class Feed: Sendable {
    private let fold: Locked<BoardFold>
    let machine: Locked<FeedMachine>

    init(fold: BoardFold, machine: FeedMachine) {
        self.fold = Locked(fold)
        self.machine = Locked(machine)
    }

    /// The sequence of the topic's last change; 0 when it has none.
    public func head(of topic: Topic) -> Int64 { machine.withLock { $0.head(of: topic) } }

    /// The sequence of the topic's last change that is no longer in memory; 0 while all are.
    public func floor(of topic: Topic) -> Int64 { machine.withLock { $0.floor(of: topic) } }

    /// The topic's publications after a cursor, oldest first, at most so many.
    public func slice(of topic: Topic, after: Int64, limit: Int) -> Slice {
        machine.withLock { $0.slice(of: topic, after: after, limit: limit) }
    }

    /// The publication of that change, if it is in memory.
    public func publication(at sequence: Int64) -> Publication? {
        machine.withLock { $0.publication(at: sequence) }
    }

    /// Calls back after publications that belong to the topic, with the topic's new head.
    ///
    /// Never under a lock and never on two threads at once for one observation; publications that come while a call is
    /// going on are told by one further call, with the newest head. Registering and looking at the head are one step: if
    /// the head is beyond `after` already, the first call comes at once, from within this one.
    /// - Parameters:
    ///   - topic: What to follow.
    ///   - after: How far the caller has read; nil to be called for new publications only.
    ///   - onPublish: What to call.
    /// - Returns: What ends the calls when it is cancelled or dropped.
    public func observe(
        _ topic: Topic, after: Int64? = nil, onPublish: @escaping @Sendable (Int64) -> Void
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
    func run(_ id: String, through sequence: Int64 = .max) -> RunView? {
        machine.withLock { $0.run(id, through: sequence) }
    }

    /// A store's view after its last change at or before a sequence; nil when that is not in memory.
    func store(_ id: String, through sequence: Int64) -> StoreView? {
        machine.withLock { $0.store(id, through: sequence) }
    }

    /// The topic's last publication at or before a sequence, with its neighbours' sequences; nil when not in memory.
    func moment(
        of topic: Topic, through sequence: Int64
    ) -> (publication: Publication, previous: Int64?, next: Int64?)? {
        machine.withLock { $0.moment(of: topic, through: sequence) }
    }

    /// Publishes recorded changes.
    ///
    /// Called by one at a time, in the order of the sequences.
    func publish(_ changes: [Change]) {
        let publications = fold.withLock { fold in changes.map { fold.apply($0) } }.map { ($0, $0.size) }
        for (observer, head) in machine.withLock({ $0.publish(publications) }) { observer.tell(head) }
    }

    /// Takes ended runs out of all that is told of the present.
    func forget(_ runs: Set<String>) {
        fold.withLock { $0.forget(runs) }
        machine.withLock { $0.forget(runs) }
    }

    /// Makes a run known that was read from the journal.
    func remember(_ run: RunView) { machine.withLock { $0.remember(run) } }
}
