import Logging
import WeirJournals
import WeirStates

/// Restores the state of a board from its journal: the newest changes, and the board before them.
struct BoardLoader: Sendable {
    let journal: any Journal
    let catalog: Catalog
    let configuration: Board.Configuration

    /// Ends the runs that were active when the previous process stopped.
    ///
    /// Leaves out ended runs, reported runs, resumable and kept runs, and the runs in `carriedOut`, which other servers
    /// execute.
    func interruptUnfinished(at now: Timestamp, besides carriedOut: Set<String>) async throws -> [Change] {
        let runs = try await journal.unfinishedRuns().filter {
            !$0.isReportedHere && !isResumable($0) && !$0.isKept && !carriedOut.contains($0.id)
        }
        guard !runs.isEmpty else { return [] }
        return try await journal.append(
            runs.map { .interruption(of: $0, at: now, cause: .stopped) })
    }

    /// Returns the runs that the last process left to this one, and those in `others`.
    func keptRuns(and others: Set<String> = []) async throws -> [RunRecord] {
        try await journal.unfinishedRuns().filter { $0.isKept || others.contains($0.id) }
    }

    /// Records that kept runs no longer wait, so that after a crash they end like others and no program runs twice.
    ///
    /// Returns the runs with this change, without reading the journal again, whose failure would leave them to no process.
    func takeUp(_ kept: [RunRecord], at now: Timestamp) async throws -> [RunRecord] {
        guard !kept.isEmpty else { return [] }
        let changes = try await journal.append(
            kept.map {
                ChangeDraft(
                    stream: .run($0.id), subject: $0.operation, revision: $0.revision + 1, at: now, state: $0.state,
                    isTransition: false)
            })
        return zip(kept, changes).map { run, change in
            var run = run
            run.apply(change)
            return run
        }
    }

    /// The unfinished runs that continue in this process, oldest first.
    func resumableRuns() async throws -> [RunRecord] { try await journal.unfinishedRuns().filter(isResumable) }

    private func isResumable(_ run: RunRecord) -> Bool {
        guard catalog[run.operation]?.isResumable == true, !run.isReportedHere, run.origin == nil else { return false }
        return (try? run.state.state(as: StepsState.self)) != nil
    }

    /// Publishes the recorded output of the reported runs that have not ended, and returns these runs.
    func resumeReported(in feed: Feed) async throws -> [RunRecord] {
        let runs = try await journal.unfinishedRuns().filter(\.isReportedHere)
        try await resumeOutputs(of: runs, in: feed)
        return runs
    }

    /// Publishes the recorded output of runs that continue.
    func resumeOutputs(of runs: [RunRecord], in feed: Feed) async throws {
        for run in runs {
            let head = try await journal.outputCount(of: run.id)
            let after = head.advanced(by: -OutputTail.lineLimit)
            let lines = try await journal.output(of: run.id, after: after, limit: OutputTail.lineLimit)
            feed.openOutput(of: run.id)
            feed.publish(lines, of: run.id)
        }
    }

    /// Opens the stores that have no recorded state, and reopens those whose recorded state no longer decodes.
    ///
    /// A state that does not decode stays in the journal and can be inspected.
    func beginStores(at now: Timestamp, logger: Logger) async throws {
        var drafts: [ChangeDraft] = []
        func begin(_ store: StoreEntry, _ kind: StoreStep.Kind, revision: Int64, cause: String? = nil) {
            drafts.append(
                ChangeDraft(
                    stream: .store(store.id), subject: store.id, revision: revision, at: now, state: store.initial,
                    isTransition: true, cause: cause, step: StoreStep(kind)))
        }
        for store in catalog.stores {
            guard let last = try await journal.lastChange(of: .store(store.id), through: .max) else {
                begin(store, .opened, revision: 0)
                continue
            }
            do {
                try store.factory.check(last.state)
            } catch {
                let words = CodingErrorText.sentence(for: error)
                logger.error(
                    "A store's recorded state no longer decodes; it is kept, and the store starts again.",
                    metadata: ["store": "\(store.id)", "sequence": "\(last.sequence)", "cause": "\(Quoted(words))"])
                begin(
                    store, .unreadable, revision: last.revision + 1,
                    cause: "the state of change \(last.sequence) no longer decodes: \(words)")
            }
        }
        if !drafts.isEmpty { _ = try await journal.append(drafts) }
    }

    func newestChangesOfStores(_ limit: Int) async throws -> [String: [Change]] {
        var changes: [String: [Change]] = [:]
        for store in catalog.stores {
            changes[store.id] = try await journal.newestChanges(of: .store(store.id), through: .max, limit: limit)
        }
        return changes
    }

    /// The feed, with the newest changes of the journal published.
    func feed() async throws -> Feed {
        // The order matters because another server may be recording: a run that ends or begins between two reads
        // appears in the later one.
        let unfinished = try await journal.unfinishedRuns().map(\.id)
        let head = try await journal.head()
        let tail = try await journal.tail(configuration.tailLimit)
        let start = tail.first.map { $0.sequence.previous } ?? head
        let fold = try await fold(at: start, before: tail, unfinished: unfinished)
        var floors: [Topic: SequenceNumber] = [:]
        // Reported runs may belong to operations that are not in the catalog.
        let operations = Set(catalog.entries.map(\.id)).union(try await journal.counts().map(\.operation))
        for topic in operations.map(Topic.operation) {
            floors[topic] = try await journal.lastChange(of: topic, through: start)?.sequence ?? 0
        }
        let feed = Feed(
            fold: fold,
            machine: FeedMachine(
                fold: fold, floors: floors, countLimit: configuration.tailLimit, byteLimit: configuration.tailBytes,
                outputByteLimit: configuration.outputTailBytes))
        feed.publish(tail)
        // After the tail is read, so that removals during that read are noted.
        try await feed.noteRemovals(in: journal)
        // Runs that were deleted while the tail was read.
        for deletion in try await journal.deletions(after: head, through: .max, limit: .max) {
            feed.forget([deletion.run])
        }
        return feed
    }

    /// The board at a sequence, and the runs that were active then.
    private func fold(
        at sequence: SequenceNumber, before tail: [Change], unfinished: [String]
    ) async throws -> BoardFold {
        guard sequence > 0 else {
            let operations = catalog.entries.map { OperationView(id: $0.id) }
            return BoardFold(
                board: BoardView(
                    sequence: 0, operations: operations, recentRuns: [], stores: catalog.stores.map { StoreView($0) }))
        }
        var views: [String: RunView] = [:]
        func view(_ id: String) async throws -> RunView? {
            if let view = views[id] { return view }
            views[id] = try await journal.view(of: id, through: sequence)
            return views[id]
        }
        func newest(_ query: RunQuery) async throws -> [RunView] {
            var list: [RunView] = []
            for record in try await journal.runs(query).runs {
                if let view = try await view(record.id) { list.append(view) }
            }
            return list
        }
        // A run was active at the start of the tail if it changes in the tail without being opened there, or if it is
        // still unfinished: the reporter of such a run may resume.
        var going: [RunView] = []
        let opened = tail.compactMap(\.openedRun)
        for id in Set(tail.compactMap(\.runAfterOpening)).union(unfinished).subtracting(opened) {
            if let view = try await view(id), view.isActive { going.append(view) }
        }
        var operations: [OperationView] = []
        for entry in catalog.entries {
            let limit = OperationView.recentLimit
            var query = RunQuery(operation: entry.id, isImported: false, before: sequence.next, limit: limit)
            var recent = try await newest(query)
            query.isImported = true
            query.limit = limit - recent.count
            if query.limit > 0 { recent += try await newest(query) }
            let active = going.count { $0.record.operation == entry.id }
            operations.append(OperationView(id: entry.id, recent: recent, activeRuns: active))
        }
        var stores: [StoreView] = []
        for entry in catalog.stores { stores.append(try await journal.view(of: entry, through: sequence)) }
        let recent = try await newest(RunQuery(before: sequence.next, limit: BoardView.recentLimit))
        return BoardFold(
            board: BoardView(sequence: sequence, operations: operations, recentRuns: recent, stores: stores),
            runs: going)
    }
}

extension RunRecord {
    /// Whether the last process left the run to the next one.
    fileprivate var isKept: Bool {
        !isReportedHere && origin == nil && endedAt == nil && cause == EndCause.kept.description
    }
}

extension Change {
    fileprivate var openedRun: String? {
        guard case .run(let id) = stream, draft.opening != nil else { return nil }
        return id
    }

    fileprivate var runAfterOpening: String? {
        guard case .run(let id) = stream, draft.opening == nil else { return nil }
        return id
    }
}

extension Journal {
    /// A store after its last change at or before a sequence, with the part of its log that is kept.
    func view(of store: StoreEntry, through sequence: SequenceNumber) async throws -> StoreView {
        StoreView(
            store,
            changes: try await newestChanges(of: .store(store.id), through: sequence, limit: StoreView.logLimit))
    }

    /// A run after its last change at or before a sequence, or nil if it had not begun or is not kept.
    func view(of run: String, through sequence: SequenceNumber?) async throws -> RunView? {
        guard let past = try await past(of: run, at: sequence, transitions: RunView.transitionLimit) else { return nil }
        return past.standing.flatMap { RunView(opening: past.opening, at: $0) }
    }
}
