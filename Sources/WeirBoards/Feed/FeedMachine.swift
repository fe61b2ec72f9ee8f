import WeirFlows
import WeirJournals

/// The state of a feed: the publications in memory, the index of each topic, and the waiting observers.
///
/// A pure state machine. A topic's index outlives its publications, so that a cursor at its head stays valid after they
/// are evicted. The oldest indexes of ended runs are removed when their number exceeds `settledLimit`.
struct FeedMachine: Sendable {
    typealias Call = (observer: FeedObserver, head: SequenceNumber)

    private let countLimit: Int
    private let byteLimit: Int
    private let settledLimit: Int
    private var ring = RingBuffer<(publication: Publication, size: Int)>()
    private var bytes = 0
    private var topics: [Topic: TopicIndex] = [:]
    private var settled = RingBuffer<Topic>()
    private var observers: [Topic: [ObjectIdentifier: FeedObserver]] = [:]
    private(set) var live: [String: RunView] = [:]
    private(set) var board: BoardView
    private(set) var rewrites = 0
    var outputs: OutputTails
    /// The sequence of the last change before the ring.
    private var floor: SequenceNumber
    /// The sequence of each topic's last removed change.
    ///
    /// The changes before it may be incomplete, also in the ring, which is filled from the journal.
    private var removals: [Topic: SequenceNumber] = [:]
    /// The same without deletions, after which nothing is missing that is kept nowhere.
    private var pruned: [Topic: SequenceNumber] = [:]

    init(
        fold: BoardFold, floors: [Topic: SequenceNumber] = [:], countLimit: Int, byteLimit: Int,
        settledLimit: Int = 20_000,
        outputByteLimit: Int = 32 * 1_024 * 1_024
    ) {
        board = fold.board
        live = fold.runs
        floor = fold.board.sequence
        self.countLimit = max(1, countLimit)
        self.byteLimit = byteLimit
        self.settledLimit = settledLimit
        outputs = OutputTails(byteLimit: outputByteLimit)
        for operation in fold.board.operations { topics[.operation(operation.id)] = TopicIndex(head: 0, floor: 0) }
        for store in fold.board.stores {
            topics[.store(store.id)] = TopicIndex(head: store.sequence, floor: store.sequence)
        }
        for (topic, floor) in floors { topics[topic] = TopicIndex(head: floor, floor: floor) }
        for run in live.values {
            let sequence = run.record.sequence
            topics[.run(run.record.id)] = TopicIndex(head: sequence, floor: sequence)
        }
    }

    // MARK: Reading

    func head(of topic: Topic) -> SequenceNumber {
        switch topic {
        case .board: board.sequence
        case .output(let run): outputs[run]?.head ?? 0
        case .operation, .run, .store: max(topics[topic]?.head ?? 0, removed(of: topic))
        }
    }

    func floor(of topic: Topic) -> SequenceNumber {
        max(topic == .board ? floor : topics[topic]?.floor ?? 0, removed(of: topic))
    }

    /// The sequence of the topic's last change that is known to be removed from the journal.
    ///
    /// At most the head, because no cursor lies beyond it.
    func removed(of topic: Topic) -> SequenceNumber { min(removals[topic] ?? 0, board.sequence) }

    /// The sequence of the topic's last change that was removed without a deletion, at most the head.
    func prunedSequence(of topic: Topic) -> SequenceNumber { min(pruned[topic] ?? 0, board.sequence) }

    /// The floor of a topic without deletions: a cursor from there on lacks nothing but deleted runs.
    func floorWithoutDeletions(of topic: Topic) -> SequenceNumber {
        // Changes of a topic without an index precede the ring, as in `slice`.
        guard topic != .board, let log = topics[topic] else {
            return max(floor, prunedSequence(of: .board))
        }
        return max(log.floor, prunedSequence(of: topic))
    }

    /// The topics from which the journal can remove single changes or runs.
    var thinnedTopics: [Topic] {
        [.board]
            + topics.keys.filter { topic in
                switch topic {
                case .operation, .store: true
                case .board, .run, .output: false
                }
            }
    }

    func slice(of topic: Topic, after: SequenceNumber, limit: Int) -> FeedSlice {
        guard topic == .board || topics[topic] != nil else {
            // The topic has no index: its changes, if any, precede the ring or are removed.
            let floor = floor(of: .board)
            return after > board.sequence ? .future : after < floor ? .gap(floor: floor) : .none
        }
        let (head, floor) = (head(of: topic), floor(of: topic))
        if after > head { return .future }
        if after < floor { return .gap(floor: floor) }
        if after == head { return .none }
        let found = publications(of: topic, after: after, limit: limit + 1)
        return .some(Array(found.prefix(limit)), more: found.count > limit)
    }

    func publication(at sequence: SequenceNumber) -> Publication? {
        let place = ring.firstPlace { $0.publication.change.sequence >= sequence }
        guard let found = ring[place]?.publication, found.change.sequence == sequence else { return nil }
        return found
    }

    /// The newest publications, oldest first, and the sequence of the change before them.
    func newest(_ count: Int) -> (publications: [Publication], floor: SequenceNumber) {
        let first = max(ring.start, ring.end - count)
        let publications = (first..<ring.end).compactMap { ring[$0]?.publication }
        // Never traps: a ring has nil outside its places.
        return (publications, ring[first - 1]?.publication.change.sequence ?? floor)
    }

    /// A run after its last change at or before a sequence, or nil if that is not in memory.
    func run(_ id: String, through sequence: SequenceNumber) -> RunView? {
        if let run = live[id], run.record.sequence <= sequence { return run }
        guard let log = topics[.run(id)] else { return nil }
        let next = log.places.firstPlace { place in
            (ring[place]?.publication.change.sequence ?? .max) > sequence
        }
        // Never traps: a ring has nil outside its places.
        return log.places[next - 1].flatMap { ring[$0]?.publication.run }
    }

    /// A store after its last change at or before a sequence, or nil if that is not in memory.
    func store(_ id: String, through sequence: SequenceNumber) -> StoreView? {
        if let store = board.store(id), store.sequence > 0, store.sequence <= sequence { return store }
        guard let log = topics[.store(id)] else { return nil }
        let next = log.places.firstPlace { place in
            (ring[place]?.publication.change.sequence ?? .max) > sequence
        }
        // Never traps: a ring has nil outside its places.
        return log.places[next - 1].flatMap { ring[$0]?.publication.store }
    }

    /// The topic's last publication at or before a sequence, with its neighbours' sequences, or nil if it is not in
    /// memory.
    func moment(
        of topic: Topic, through sequence: SequenceNumber
    ) -> (publication: Publication, previous: SequenceNumber?, next: SequenceNumber?)? {
        // A publication before the removal may lack runs that the board contained then.
        let removed = removed(of: topic)
        guard let log = topics[topic], sequence >= removed else { return nil }
        let at = { (place: Int) in log.places[place].flatMap { ring[$0]?.publication } }
        let after = log.places.firstPlace { (ring[$0]?.publication.change.sequence ?? .max) > sequence }
        guard let publication = at(after - 1) else { return nil }
        let previous = at(after - 2)?.change.sequence ?? log.floor
        return (publication, previous > removed ? previous : nil, at(after)?.change.sequence)
    }

    private func publications(of topic: Topic, after: SequenceNumber, limit: Int) -> [Publication] {
        if topic == .board {
            let first = ring.firstPlace { $0.publication.change.sequence > after }
            return (first..<max(first, min(first + limit, ring.end))).compactMap { ring[$0]?.publication }
        }
        guard let log = topics[topic] else { return [] }
        let first = log.places.firstPlace { (ring[$0]?.publication.change.sequence ?? 0) > after }
        return (first..<max(first, min(first + limit, log.places.end)))
            .compactMap { log.places[$0].flatMap { ring[$0]?.publication } }
    }

    // MARK: Publishing

    /// Adds publications, which must follow the last one, and returns the calls to make.
    mutating func publish(_ publications: [(publication: Publication, size: Int)]) -> [Call] {
        var touched: Set<Topic> = []
        for (publication, size) in publications {
            let topics = publication.topics
            for topic in topics {
                self.topics[topic, default: TopicIndex(head: 0, floor: 0)].head = publication.change.sequence
                self.topics[topic]?.places.append(ring.end)
            }
            ring.append((publication, size))
            bytes += size
            board = publication.board
            if let run = publication.run { live[run.record.id] = run.isActive ? run : nil }
            touched.formUnion(topics)
            while ring.count > countLimit || (bytes > byteLimit && ring.count > 1) { evict() }
        }
        if !publications.isEmpty { touched.insert(.board) }
        return touched.flatMap { topic in
            (observers[topic] ?? [:]).values.map { ($0, head(of: topic)) }
        }
    }

    private mutating func evict() {
        guard let (publication, size) = ring.removeFirst() else { return }
        bytes -= size
        floor = publication.change.sequence
        for topic in publication.topics {
            topics[topic]?.floor = floor
            topics[topic]?.places.removeFirst()
            settle(topic)
        }
    }

    /// Removes runs from the board and from the publications that current pages are rendered from.
    mutating func forget(_ runs: Set<String>) {
        let active = runs.compactMap { live.removeValue(forKey: $0)?.record.operation }
        for id in runs {
            topics[.run(id)] = nil
            outputs.remove(id)
        }
        rewriteBoards { $0.without(runs, active: active) }
    }

    /// Notes the removals of each topic, and up to which sequence all kept changes are published; returns the calls to
    /// make.
    ///
    /// Heads advance past the removals, so that the cursor of a page rendered now does not precede them.
    mutating func note(
        _ removed: [Topic: SequenceNumber], published head: SequenceNumber, isDeletion: Bool = false
    ) -> [Call] {
        let before = observers.keys.map { ($0, self.head(of: $0)) }
        removals.merge(removed, uniquingKeysWith: max)
        if !isDeletion { pruned.merge(removed, uniquingKeysWith: max) }
        board = board.at(max(board.sequence, min(head, removed.values.max() ?? 0)))
        return before.flatMap { topic, known in
            let head = self.head(of: topic)
            return head > known ? (observers[topic] ?? [:]).values.map { ($0, head) } : []
        }
    }

    /// Changes the current board, and the board in the newest publication of every operation.
    mutating func rewriteBoards(_ transform: (BoardView) -> BoardView) {
        rewrites &+= 1
        board = transform(board)
        let heads = topics.compactMap { topic, log -> Int? in
            guard case .operation = topic else { return nil }
            return log.places.last
        }
        for place in Set(heads + [ring.end - 1]) {
            guard let (publication, size) = ring[place] else { continue }
            ring[place] = (publication.with(transform(publication.board)), size)
        }
    }

    /// Indexes an ended run whose publications were evicted, so that cursors at its head are valid.
    mutating func remember(_ run: RunView) {
        let topic = Topic.run(run.record.id)
        guard topics[topic] == nil, !run.isActive else { return }
        topics[topic] = TopicIndex(head: run.record.sequence, floor: run.record.sequence)
        settle(topic)
    }

    /// Queues the index of an ended run without publications for removal, and removes the oldest above the limit.
    private mutating func settle(_ topic: Topic) {
        guard case .run(let id) = topic, live[id] == nil, topics[topic]?.places.isEmpty == true else { return }
        settled.append(topic)
        if settled.count > settledLimit, let oldest = settled.removeFirst() { topics[oldest] = nil }
    }

    mutating func know(_ operations: [String]) {
        for topic in operations.map(Topic.operation) where topics[topic] == nil {
            topics[topic] = TopicIndex(head: 0, floor: 0)
        }
    }

    // MARK: Waiting

    /// Adds an observer; returns the head to report immediately, if it exceeds the cursor.
    mutating func observe(_ topic: Topic, after: SequenceNumber?, _ observer: FeedObserver) -> SequenceNumber? {
        observers[topic, default: [:]][ObjectIdentifier(observer)] = observer
        let head = head(of: topic)
        guard let after, head > after else { return nil }
        return head
    }

    mutating func publish(_ lines: [OutputLine], _ unfinished: UnfinishedLines? = nil, of run: String) -> [Call] {
        outputs.add(lines, unfinished, to: run)
        let topic = Topic.output(run)
        return (observers[topic] ?? [:]).values.map { ($0, head(of: topic)) }
    }

    mutating func closeOutput(of run: String) -> [Call] {
        guard outputs[run]?.isClosed == false else { return [] }
        outputs.close(run)
        let topic = Topic.output(run)
        return (observers[topic] ?? [:]).values.map { ($0, head(of: topic)) }
    }

    mutating func leave(_ topic: Topic, _ observer: FeedObserver) {
        observers[topic]?[ObjectIdentifier(observer)] = nil
        if observers[topic]?.isEmpty == true { observers[topic] = nil }
    }
}

struct TopicIndex: Sendable {
    var head: SequenceNumber
    /// The sequence of its last change before the ring.
    var floor: SequenceNumber
    var places = RingBuffer<Int>()
}

/// Calls a closure with increasing heads of a topic, one call at a time.
final class FeedObserver: Sendable {
    private struct Core {
        var isCancelled = false
        var isBusy = false
        var told: SequenceNumber?
        var next: SequenceNumber?
    }

    private let onPublish: @Sendable (SequenceNumber) -> Void
    private let core = Locked(Core())

    init(_ onPublish: @escaping @Sendable (SequenceNumber) -> Void) { self.onPublish = onPublish }

    /// Reports a head, immediately or after a call in progress; only the newest pending head is reported.
    ///
    /// With `isEnd`, the call is made even if the head has not changed.
    func tell(_ head: SequenceNumber, isEnd: Bool = false) {
        let begins = core.withLock { core in
            let isNews = isEnd || (core.next ?? core.told).map { head > $0 } ?? true
            guard !core.isCancelled, isNews else { return false }
            core.next = max(head, core.next ?? head)
            if core.isBusy { return false }
            core.isBusy = true
            return true
        }
        guard begins else { return }
        while let head = next() { onPublish(head) }
    }

    func cancel() { core.withLock { $0.isCancelled = true } }

    private func next() -> SequenceNumber? {
        core.withLock { core in
            guard !core.isCancelled, let head = core.next else {
                core.isBusy = false
                return nil
            }
            core.told = head
            core.next = nil
            return head
        }
    }
}
