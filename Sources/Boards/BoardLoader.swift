import Journals
import Logging
import States

/// Brings what the journal kept into memory: the newest changes, and the board as it stood before them.
struct BoardLoader: Sendable {
    let journal: any Journal
    let catalog: Catalog
    let configuration: Board.Configuration

    /// Ends the runs that were going when the last process stopped.
    ///
    /// Those that had ended are not touched.
    func interruptUnfinished(at now: Timestamp) async throws {
        let runs = try await journal.unfinishedRuns()
        guard !runs.isEmpty else { return }
        _ = try await journal.append(
            runs.map { .interruption(of: $0, at: now, cause: "the server stopped while this was running") })
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
                let words = CodingWords.sentence(for: error)
                logger.error(
                    "A store's recorded state no longer decodes; it is kept, and the store begins anew.",
                    metadata: ["store": "\(store.id)", "sequence": "\(last.sequence)", "cause": "\(words)"])
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
        let tail = try await journal.tail(configuration.tailLimit)
        let head = try await journal.head()
        let start = tail.first.map { $0.sequence - 1 } ?? head
        let fold = try await fold(at: start, before: tail)
        var floors: [Topic: Int64] = [:]
        for topic in catalog.entries.map({ Topic.operation($0.id) }) {
            floors[topic] = try await journal.lastChange(of: topic, through: start)?.sequence ?? 0
        }
        let feed = Feed(
            fold: fold,
            machine: FeedMachine(
                fold: fold, floors: floors, countLimit: configuration.tailLimit, byteLimit: configuration.tailBytes,
                outputByteLimit: configuration.outputTailBytes))
        feed.publish(tail)
        return feed
    }

    /// The board as it stood at a sequence, and the runs that went on then.
    private func fold(at sequence: Int64, before tail: [Change]) async throws -> BoardFold {
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
        // A run that changes in the tail without being opened there was going when the tail began.
        var going: [RunView] = []
        for id in Set(tail.compactMap(\.runAfterOpening)).subtracting(tail.compactMap(\.openedRun)) {
            if let view = try await view(id), view.isActive { going.append(view) }
        }
        var operations: [OperationView] = []
        for entry in catalog.entries {
            let limit = OperationView.recentLimit
            var query = RunQuery(operation: entry.id, isImported: false, before: sequence + 1, limit: limit)
            var recent = try await newest(query)
            query.isImported = true
            query.limit = limit - recent.count
            if query.limit > 0 { recent += try await newest(query) }
            let active = going.count { $0.record.operation == entry.id }
            operations.append(OperationView(id: entry.id, recent: recent, activeRuns: active))
        }
        var stores: [StoreView] = []
        for entry in catalog.stores { stores.append(try await journal.view(of: entry, through: sequence)) }
        let recent = try await newest(RunQuery(before: sequence + 1, limit: BoardView.recentLimit))
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
