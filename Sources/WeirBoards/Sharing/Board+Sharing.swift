import Logging
package import WeirFlows
import WeirJournals
import WeirStates

extension Board {
    package var currentRole: ReadOnlyStateFlow<BoardRole> { role.asStateFlow() }

    package var isRecording: Bool { (journal as? any SharedJournal)?.isRecording ?? true }

    /// The servers of a shared journal, ordered by name; empty if the journal is not shared.
    package var nodes: [NodeView] { membership?.nodes ?? [] }

    /// The names of the servers whose operation files differ from those of this one.
    package var serversWithOtherFiles: [String] {
        let own = catalog.fingerprint
        return nodes.filter { !$0.isThis && !$0.isSilent && $0.node.standing.catalog.map { $0 != own } ?? false }
            .map(\.node.name)
    }

    private func noteOtherFiles(_ elsewhere: Elsewhere) {
        let others = serversWithOtherFiles
        guard elsewhere.isNew(others) else { return }
        if others.isEmpty {
            logger.notice("All servers have the same operation files again.")
        } else {
            logger.warning(
                "Other servers have other operation files than this one. Give all of them the same.",
                metadata: ["servers": "\(others.joined(separator: ", "))", "fingerprint": "\(catalog.fingerprint)"])
        }
    }

    /// How far notifications of ended runs have been sent, as recorded for a server that takes over.
    ///
    /// Returns nil if the journal is not shared, or nothing has been recorded.
    package func toldThrough() async throws -> ToldPosition? {
        guard membership != nil, let note = try await journal.note(Self.toldNote) else { return nil }
        return try? JSONValue(parsing: note).decode(ToldPosition.self)
    }

    /// Records how far notifications have been sent; has no effect if the journal is not shared.
    package func setToldThrough(_ position: ToldPosition) async throws {
        guard membership != nil else { return }
        try await journal.setNote(Self.toldNote, JSONValue(encoding: position).text())
    }

    private static let toldNote = "told"

    /// Throws `unavailable` if this server does not record.
    func requireRecording() throws(BoardError) {
        guard role.value != .recording else { return }
        throw .following(nodes.first { $0.node.isRecording && !$0.isThis }?.node.name)
    }

    // MARK: Recording

    /// Takes over from the last process or from the server that is replaced, and starts the tasks of the recording
    /// server.
    ///
    /// Throws `JournalError` if the journal cannot be read, or cannot be written to end interrupted runs.
    func begin() async throws {
        let loader = BoardLoader(journal: journal, catalog: catalog, configuration: configuration)
        // Read before anything is appended, to measure how far the clock is ahead of the last recorded change.
        retention.begin(after: try await journal.tail(1).last?.at)
        if role.value == .following { try await foreignOutput?.look() }
        // Runs of this server and of others that are present continue; those of absent servers are ended soon after.
        let assignments = try await assigner?.assignments() ?? []
        let carriedOut = Set(assignments.map(\.run) + runs.all.map(\.id))
        monitor.recorded(try await loader.interruptUnfinished(at: now(), besides: carriedOut))
        // A quiet start leaves them to its end.
        let isQuiet = quietStart.value != nil
        var kept = try await loader.keptRuns()
        if !isQuiet { kept = try await loader.takeUp(kept, at: now()) }
        try await loader.beginStores(at: now(), logger: logger)
        try await recorder.follower.catchUp()
        let recent = try await loader.newestChangesOfStores(StoreKeys.limit)
        let resumable = try await loader.resumableRuns()
        reported.resume(try await loader.resumeReported(in: feed))
        try await loader.resumeOutputs(of: kept.filter { catalog[$0.operation]?.prints == true }, in: feed)
        for view in feed.board.stores { put(view, recent: recent[view.id] ?? []) }
        try await adopt(assignments)
        try await acknowledgements.load()
        await versions.record(catalog)
        role.value = .recording
        if !assignments.isEmpty { try await foreignOutput?.resume() }
        if isQuiet {
            try await scheduler.follow(catalog.scheduledStarts)
        } else {
            await beginByItself(kept, resumable, schedules: try await scheduler.kept())
        }
        keepWithin()
        if configuration.retention == nil { finishDeletions() }
        watching.begin()
    }

    /// Continues the waiting runs and the runs of steps, and starts the schedules.
    private func beginByItself(
        _ kept: [RunRecord], _ resumable: [RunRecord], schedules: [String: ScheduleStanding]
    ) async {
        resumeKept(kept)
        resume(resumable)
        await scheduler.begin(catalog.scheduledStarts, known: schedules) {
            [weak self] operation, input, key throws(BoardError) in
            guard let self else { throw .shuttingDown }
            return try await start(operation, input: input, actor: ScheduledStart.actor, idempotencyKey: key)
        }
    }

    /// Ends a quiet start: continues kept runs and runs of steps, and starts the schedules; has no effect on another board.
    ///
    /// With `skippingMissed`, the schedules do not catch up on the times before now. Throws `JournalError`, and then stays
    /// quiet.
    package func endQuiet(skippingMissed: Bool) async throws {
        try await replacing.withLock {
            guard quietStart.value != nil else { return }
            if role.value == .recording {
                if skippingMissed { try await scheduler.skipMissed() }
                let loader = BoardLoader(journal: journal, catalog: catalog, configuration: configuration)
                // Those that were started meanwhile are under way.
                let resumable = try await loader.resumableRuns().filter { runs[$0.id] == nil }
                let schedules = try await scheduler.kept()
                // Last, because kept runs that are taken up wait for no other process. An append that fails may have been
                // recorded; the next attempt then finds them by their ids.
                let kept = try await loader.keptRuns(and: takenUp.withLock { $0 }).filter { runs[$0.id] == nil }
                let ids = Set(kept.map(\.id))
                takenUp.withLock { $0 = ids }
                await beginByItself(try await loader.takeUp(kept, at: now()), resumable, schedules: schedules)
            }
            quietStart.value = nil
        }
    }

    /// Registers the runs that other servers carry out, before any other run can start.
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

    private func put(_ view: StoreView, recent: [Change]) {
        let store = view.entry.factory.store(view, recorder: recorder, now: now) {
            [recorder, liveStores, configuration] in
            // Twice the limit for commands, so that work started by commands can still dispatch its results.
            !liveStores.isClosed && recorder.backlog < 2 * configuration.recordBufferLimit
        }
        liveStores.add(store, keys: StoreKeys(recent), id: view.id)
    }

    /// Shows the output of another server's runs and the progress of its schedules.
    func follow() async throws {
        try await foreignOutput?.resume()
        try await scheduler.follow(catalog.scheduledStarts)
        try await acknowledgements.load()
    }

    /// Reloads the notices, since another server may have dismissed some.
    func rereadNotices() async throws {
        try await (journal as? any SharedJournal)?.rereadNotices()
        recorder.noteNotices()
    }

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
                standing: { [feed, runs, watching, configuration, worker, launcher] in
                    var standing = NodeStanding()
                    standing.head = feed.head(of: .board)
                    standing.runs = runs.countHere
                    standing.viewers = watching.viewers
                    standing.watched = watching.watched
                    standing.takesCommands = true
                    standing.forgetsDeletedRuns = true
                    standing.catalog = launcher.catalog.fingerprint
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
                    noteOtherFiles(elsewhere)
                    try await rereadNotices()
                    try await scheduler.follow(catalog.scheduledStarts)
                    if follows { try await acknowledgements.load() }
                    let now = try await journal.floor(of: .board)
                    guard elsewhere.floor.withLock({ $0 }) != now else { return }
                    try await recorder.follower.whileNothingIsPublished {
                        try await feed.forgetRemoved(from: journal)
                        try await feed.refillLists(from: journal)
                    }
                    elsewhere.floor.withLock { $0 = now }
                },
                mayTakeOver: { [runs] in !runs.isClosed },
                begin: { [weak self] in try await self?.begin() },
                watch: { [watching] operations in elsewhere.keep(operations, watching) },
                note: { [recorder] error in
                    if let error { recorder.note(error) } else { recorder.noteRecording() }
                }))
    }
}

/// State of other servers: the operations watched there, which continue here, and the floor of retention.
private final class Elsewhere: Sendable {
    /// The floor below which removed runs are no longer shown.
    let floor = Locked(SequenceNumber.zero)
    /// The servers that were last found to have other operation files.
    let differing = Locked<[String]>([])
    private let watches = Locked<[String: Watch]>([:])

    /// Whether other servers than before have other operation files.
    func isNew(_ others: [String]) -> Bool {
        differing.withLock { differing in
            defer { differing = others }
            return differing != others
        }
    }

    /// Watches exactly these operations.
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

/// The role of a server on its journal.
package enum BoardRole: String, Sendable {
    /// Starts runs and records: the only server of its journal, or the active one of several.
    case recording
    /// Shows everything and starts nothing, because another server records.
    case following
    /// Another server has replaced this one, or the history has ended: this process must exit and restart.
    case replaced
}

extension BoardError {
    /// The error for commands to a server that does not record.
    static func following(_ recording: String?) -> BoardError {
        guard let recording else { return BoardError(.unavailable, .followingAnother) }
        return BoardError(.unavailable, .following, ["other": .text(recording)])
    }
}
