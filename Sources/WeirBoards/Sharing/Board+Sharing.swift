import Logging
package import WeirFlows
package import WeirJournals

extension Board {
    /// What this server does on its journal, as it changes.
    package var currentRole: ReadOnlyStateFlow<BoardRole> { role.asStateFlow() }

    /// Whether this server is the one that records.
    package var isRecording: Bool { (journal as? any SharedJournal)?.isRecording ?? true }

    /// The servers of a shared journal, by their names; none where there can be no others.
    package var nodes: [NodeView] { membership?.nodes ?? [] }

    /// Up to where people were told how runs ended, as the server that tells them has written it down for those that may take
    /// its place; nil where there are no others, and where nothing is written down.
    package func toldThrough() async throws -> SequenceNumber? {
        guard membership != nil else { return nil }
        return try await journal.note(Self.toldNote).flatMap { Int64($0) }.map { SequenceNumber(clamping: $0) }
    }

    /// Writes down up to where people were told; without effect where there are no others.
    package func setToldThrough(_ sequence: SequenceNumber) async throws {
        guard membership != nil else { return }
        try await journal.setNote(Self.toldNote, "\(sequence.rawValue)")
    }

    private static let toldNote = "told"

    /// Refuses a command at a server that follows another.
    func requireRecording() throws(BoardError) {
        guard role.value != .recording else { return }
        throw .following(nodes.first { $0.node.isRecording && !$0.isThis }?.node.name)
    }

    // MARK: Beginning

    /// Takes up what the last process left, or the server whose place is taken, and begins what only the server does that
    /// records.
    ///
    /// Throws `JournalError` when the journal cannot be read, or not be written where runs must be ended.
    func begin() async throws {
        let loader = BoardLoader(journal: journal, catalog: catalog, configuration: configuration)
        // Read before anything is added: how far the clock is ahead of what was recorded last.
        retention.begin(after: try await journal.tail(1).last?.at)
        if role.value == .following { try await foreignOutput?.look() }
        // What this server carries out goes on, as does what others do that are there; of those that are not, it is ended soon.
        let assignments = try await assigner?.assignments() ?? []
        let carriedOut = Set(assignments.map(\.run) + runs.all.map(\.id))
        try await loader.interruptUnfinished(at: now(), besides: carriedOut)
        try await loader.beginStores(at: now(), logger: logger)
        try await recorder.follower.catchUp()
        let recent = try await loader.newestChangesOfStores(StoreKeys.limit)
        let resumable = try await loader.resumableRuns()
        reported.resume(try await loader.resumeOutputs(in: feed))
        let schedules = try await scheduler.kept()
        for view in feed.board.stores { put(view, recent: recent[view.id] ?? []) }
        try await adopt(assignments)
        role.value = .recording
        if !assignments.isEmpty { try await foreignOutput?.resume() }
        resume(resumable)
        keepWithin()
        await scheduler.begin(catalog.scheduledStarts, known: schedules) {
            [weak self] operation, input, key throws(BoardError) in
            guard let self else { throw .shuttingDown }
            return try await start(operation, input: input, actor: ScheduledStart.actor, idempotencyKey: key)
        }
        watching.begin()
    }

    /// Takes account of the runs that other servers carry out, before any other can be started.
    private func adopt(_ assignments: [RunAssignment]) async throws {
        let shared = journal as? any SharedJournal
        let workers = Dictionary(assignments.map { ($0.run, $0.worker) }) { $1 }
        for record in assignments.isEmpty ? [] : try await journal.unfinishedRuns() {
            guard let worker = workers[record.id], worker != shared?.worker, runs[record.id] == nil else { continue }
            do throws(BoardError) {
                try launcher.resume(record, place: .elsewhere(worker: worker))
            } catch {
                logger.warning(
                    "Another server carries out a run of an operation that this one does not have.",
                    metadata: ["run": "\(record.id)", "operation": "\(record.operation)"])
            }
        }
    }

    /// Puts a store to work, in the state that was recorded last.
    private func put(_ view: StoreView, recent: [Change]) {
        let store = view.entry.factory.store(view, recorder: recorder, now: now) {
            [recorder, liveStores, configuration] in
            // Twice what commands may fill: so the work that commands have set going can still tell its results.
            !liveStores.isClosed && recorder.backlog < 2 * configuration.recordBufferLimit
        }
        liveStores.add(store, keys: StoreKeys(recent), id: view.id)
    }

    // MARK: Following

    /// Shows what another server's runs print, and how far its schedules have come.
    func follow() async throws {
        try await foreignOutput?.resume()
        try await scheduler.follow(catalog.scheduledStarts)
    }

    /// Shows the notices that there are, which another server may have dismissed.
    func rereadNotices() async throws {
        try await (journal as? any SharedJournal)?.rereadNotices()
        recorder.noteNotices()
    }

    /// Begins to take part among the servers of a shared journal.
    func takePart() {
        if membership != nil, let shared = journal as? any SharedJournal {
            receiver.resolve(
                CommandReceiver(shared, clock: clock) { [weak self] command, node in
                    await self?.perform(command, of: node) ?? .init(.shuttingDown)
                })
        }
        let elsewhere = Elsewhere()
        membership?.begin(
            Membership.Actions(
                standing: { [feed, runs, watching, configuration, worker] in
                    var standing = NodeStanding()
                    standing.head = feed.head(of: .board)
                    standing.runs = runs.countHere
                    standing.viewers = watching.viewers
                    standing.watched = watching.watched
                    standing.takesCommands = true
                    standing.worker = configuration.carriesOutForOthers ? worker?.number : nil
                    return standing
                },
                catchUp: { [recorder, foreignOutput] in
                    try await recorder.follower.catchUp()
                    try await foreignOutput?.look()
                },
                takeAnswers: { [sender] in try await sender?.look() },
                carryOut: { [role, receiver] nodes in
                    if role.value == .recording { try await receiver.resolved?.look(of: nodes) }
                },
                takeRuns: { [worker] in try await worker?.look() },
                tidyRuns: { [worker] in try await worker?.tidy() },
                tendRuns: { [assigner] workers in try await assigner?.tend(workers) },
                look: { [weak self] in
                    guard let self else { return }
                    try await rereadNotices()
                    try await scheduler.follow(catalog.scheduledStarts)
                    let now = try await journal.floor(of: .board)
                    guard elsewhere.floor.withLock({ $0 }) != now else { return }
                    try await recorder.follower.whileNothingIsPublished {
                        try await feed.forgetRemoved(from: journal)
                        try await feed.refillLists(from: journal)
                    }
                    elsewhere.floor.withLock { $0 = now }
                },
                begin: { [weak self] in try await self?.begin() },
                watch: { [watching] operations in elsewhere.keep(operations, watching) },
                note: { [recorder] error in
                    if let error { recorder.note(error) } else { recorder.noteRecording() }
                }))
    }
}

/// What is known of other servers: which operations are watched there, and therefore go on here, and how far retention went.
private final class Elsewhere: Sendable {
    /// The floor up to which removed runs are not shown any more.
    let floor = Locked(SequenceNumber.zero)
    private let watches = Locked<[String: Watch]>([:])

    /// Watches these, and none of the others any more.
    func keep(_ operations: Set<String>, _ watching: Watching) {
        let left = watches.withLock { watches -> [Watch] in
            for id in operations where watches[id] == nil { watches[id] = watching.watch(.operation(id)) }
            let left = watches.filter { !operations.contains($0.key) }
            for id in left.keys { watches[id] = nil }
            return Array(left.values)
        }
        for watch in left { watch.release() }
    }
}
