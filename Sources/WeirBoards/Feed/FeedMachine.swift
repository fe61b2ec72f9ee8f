import WeirJournals

/// The journal's tail: which publications are in memory, where each topic's are, and who waits for them.
///
/// Pure.
///
/// A topic's log outlives its publications, so that a cursor at its head stays valid after they have left; the logs of
/// ended runs are removed in turn once there are very many.
struct FeedMachine: Sendable {
    /// A waiting observer to call with the topic's new head.
    typealias Call = (observer: FeedObserver, head: SequenceNumber)

    private let countLimit: Int
    private let byteLimit: Int
    private let settledLimit: Int
    private var ring = RingBuffer<(publication: Publication, size: Int)>()
    private var bytes = 0
    private var topics: [Topic: TopicIndex] = [:]
    private var settled = RingBuffer<Topic>()
    private var observers: [Topic: [ObjectIdentifier: FeedObserver]] = [:]
    /// The newest views of the runs that have not ended.
    private(set) var live: [String: RunView] = [:]
    /// The board after the last publication.
    private(set) var board: BoardView
    /// How often what pages of the present are rendered from was rewritten without a change.
    private(set) var rewrites = 0
    /// The newest lines of the runs that print.
    var outputs: OutputTails
    /// The sequence of the last change that is not in the ring.
    private var floor: SequenceNumber
    /// The sequence of the last change of a topic that the journal has removed: what is before it may have holes, in the
    /// ring too, which was filled from the journal.
    private var removals: [Topic: SequenceNumber] = [:]

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
    /// Never beyond the head: of what is not published yet, nobody has a cursor.
    func removed(of topic: Topic) -> SequenceNumber { min(removals[topic] ?? 0, board.sequence) }

    /// The topics from which the journal removes single changes or runs.
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
            // Nothing is known of the topic: what it had, if it had anything, lies before the ring, or is removed.
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

    /// The newest publications of all, oldest first, and the sequence behind which there are no others.
    func newest(_ count: Int) -> (publications: [Publication], floor: SequenceNumber) {
        let first = max(ring.start, ring.end - count)
        let publications = (first..<ring.end).compactMap { ring[$0]?.publication }
        // Never traps: a ring has nil outside its places.
        return (publications, ring[first - 1]?.publication.change.sequence ?? floor)
    }

    /// A run's view after its last change at or before a sequence; nil if that is not in memory.
    func run(_ id: String, through sequence: SequenceNumber) -> RunView? {
        if let run = live[id], run.record.sequence <= sequence { return run }
        guard let log = topics[.run(id)] else { return nil }
        let next = log.places.firstPlace { place in
            (ring[place]?.publication.change.sequence ?? .max) > sequence
        }
        // Never traps: a ring has nil outside its places.
        return log.places[next - 1].flatMap { ring[$0]?.publication.run }
    }

    /// A store's view after its last change at or before a sequence; nil if that is not in memory.
    func store(_ id: String, through sequence: SequenceNumber) -> StoreView? {
        if let store = board.store(id), store.sequence > 0, store.sequence <= sequence { return store }
        guard let log = topics[.store(id)] else { return nil }
        let next = log.places.firstPlace { place in
            (ring[place]?.publication.change.sequence ?? .max) > sequence
        }
        // Never traps: a ring has nil outside its places.
        return log.places[next - 1].flatMap { ring[$0]?.publication.store }
    }

    /// The topic's last publication at or before a sequence, with its neighbours' sequences; nil if it is not in
    /// memory.
    func moment(
        of topic: Topic, through sequence: SequenceNumber
    ) -> (publication: Publication, previous: SequenceNumber?, next: SequenceNumber?)? {
        // What is in memory from before that may lack what the board showed then.
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

    /// Takes publications in, whose sequences follow the last one's: whom to call.
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

    /// Takes runs out of the board as it is, and out of what pages of the present are rendered from.
    mutating func forget(_ runs: Set<String>) {
        let active = runs.compactMap { live.removeValue(forKey: $0)?.record.operation }
        for id in runs { topics[.run(id)] = nil }
        rewriteBoards { $0.without(runs, active: active) }
    }

    /// Takes note of what the journal has removed of topics, and of how far all that it keeps is published: whom to call.
    ///
    /// The heads come along, so that a page that is shown now does not stand before what is removed.
    mutating func note(_ removed: [Topic: SequenceNumber], published head: SequenceNumber) -> [Call] {
        let before = observers.keys.map { ($0, self.head(of: $0)) }
        removals.merge(removed, uniquingKeysWith: max)
        board = board.at(max(board.sequence, min(head, removed.values.max() ?? 0)))
        return before.flatMap { topic, known in
            let head = self.head(of: topic)
            return head > known ? (observers[topic] ?? [:]).values.map { ($0, head) } : []
        }
    }

    /// Changes the board as it is, and in what pages of the present are rendered from: the newest publication of every
    /// topic.
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

    /// Makes a run known whose publications have left, so that cursors at its head are good.
    mutating func remember(_ run: RunView) {
        let topic = Topic.run(run.record.id)
        guard topics[topic] == nil, !run.isActive else { return }
        topics[topic] = TopicIndex(head: run.record.sequence, floor: run.record.sequence)
        settle(topic)
    }

    /// Releases the log of an ended run whose publications have left, as soon as there are very many such logs.
    private mutating func settle(_ topic: Topic) {
        guard case .run(let id) = topic, live[id] == nil, topics[topic]?.places.isEmpty == true else { return }
        settled.append(topic)
        if settled.count > settledLimit, let oldest = settled.removeFirst() { topics[oldest] = nil }
    }

    /// Makes operations known that have no publications yet.
    mutating func know(_ operations: [String]) {
        for topic in operations.map(Topic.operation) where topics[topic] == nil {
            topics[topic] = TopicIndex(head: 0, floor: 0)
        }
    }

    // MARK: Waiting

    /// Adds a waiting observer; returns the head to call it with at once, if it is beyond what was read.
    mutating func observe(_ topic: Topic, after: SequenceNumber?, _ observer: FeedObserver) -> SequenceNumber? {
        observers[topic, default: [:]][ObjectIdentifier(observer)] = observer
        let head = head(of: topic)
        guard let after, head > after else { return nil }
        return head
    }

    /// Takes lines of output in: whom to call.
    mutating func publish(_ lines: [OutputLine], of run: String) -> [Call] {
        outputs.add(lines, to: run)
        let topic = Topic.output(run)
        return (observers[topic] ?? [:]).values.map { ($0, head(of: topic)) }
    }

    /// The run has printed all there will ever be: whom to call.
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

extension Publication {
    /// The topics it belongs to, besides the board.
    fileprivate var topics: [Topic] {
        switch change.stream {
        case .run(let id): [.operation(change.subject), .run(id)]
        case .store(let id): [.store(id)]
        }
    }
}
