import Logging
import WeirJournals
import WeirStates

/// Brings what the journal kept into memory: the newest changes, and the board as it stood before them.
struct BoardLoader: Sendable {
    let journal: any Journal
    let catalog: Catalog
    let configuration: Board.Configuration

    /// Ends the runs that were going when the last process stopped.
    ///
    /// Those that had ended are not touched, nor are those that programs elsewhere report, those that continue, and those that
    /// another server carries out.
    func interruptUnfinished(at now: Timestamp, besides carriedOut: Set<String>) async throws {
        let runs = try await journal.unfinishedRuns().filter {
            !$0.isReportedHere && !isResumable($0) && !carriedOut.contains($0.id)
        }
        guard !runs.isEmpty else { return }
        _ = try await journal.append(
            runs.map { .interruption(of: $0, at: now, cause: .stopped) })
    }

    /// The runs that were going when the last process stopped, and continue; oldest first.
    func resumableRuns() async throws -> [RunRecord] { try await journal.unfinishedRuns().filter(isResumable) }

    private func isResumable(_ run: RunRecord) -> Bool {
        guard catalog[run.operation]?.isResumable == true, !run.isReportedHere, run.origin == nil else { return false }
        return (try? run.state.state(as: StepsState.self)) != nil
    }

    /// Shows what the runs have printed that programs elsewhere report and that are not over; these runs.
    func resumeOutputs(in feed: Feed) async throws -> [RunRecord] {
        let runs = try await journal.unfinishedRuns().filter(\.isReportedHere)
        for run in runs {
            let head = try await journal.outputCount(of: run.id)
            let after = head.advanced(by: -OutputTail.lineLimit)
            let lines = try await journal.output(of: run.id, after: after, limit: OutputTail.lineLimit)
            feed.openOutput(of: run.id)
            feed.publish(lines, of: run.id)
        }
        return runs
    }

    /// Begins the stores that are there for the first time, and those anew whose recorded state no longer decodes.
    ///
    /// What does not decode stays in the journal, and can be looked at.
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

    /// The newest changes of each store, oldest first.
    func newestChangesOfStores(_ limit: Int) async throws -> [String: [Change]] {
        var changes: [String: [Change]] = [:]
        for store in catalog.stores {
            changes[store.id] = try await journal.newestChanges(of: .store(store.id), through: .max, limit: limit)
        }
        return changes
    }

    /// The feed as it would be had it been there all along.
    func feed() async throws -> Feed {
        // In this order: another server may be recording, and what ends or begins after one of these is in the next.
        let unfinished = try await journal.unfinishedRuns().map(\.id)
        let head = try await journal.head()
        let tail = try await journal.tail(configuration.tailLimit)
        let start = tail.first.map { $0.sequence.previous } ?? head
        let fold = try await fold(at: start, before: tail, unfinished: unfinished)
        var floors: [Topic: SequenceNumber] = [:]
        // Runs may have been reported of operations that are not in the catalog.
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
        // After the tail was read: what is removed in between is missing in it.
        try await feed.noteRemovals(in: journal)
        return feed
    }

    /// The board as it stood at a sequence, and the runs that went on then.
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
        // A run that changes in the tail without being opened there was going when the tail began, and so was one that is
        // not over yet: its reporter may come back.
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
    /// A store as it stood after its last change at or before a sequence, with as much of its log as is kept.
    func view(of store: StoreEntry, through sequence: SequenceNumber) async throws -> StoreView {
        StoreView(
            store,
            changes: try await newestChanges(of: .store(store.id), through: sequence, limit: StoreView.logLimit))
    }

    /// A run as it stood after its last change at or before a sequence; nil when it had not begun or is not kept.
    func view(of run: String, through sequence: SequenceNumber?) async throws -> RunView? {
        guard let past = try await past(of: run, at: sequence, transitions: RunView.transitionLimit) else { return nil }
        return past.standing.flatMap { RunView(opening: past.opening, at: $0) }
    }
}
