import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// How many of the latest runs the overview lists.
    static var tailLength: Int { 12 }

    /// The overview, as a reader has arranged it.
    func board(_ board: BoardView, _ arrangement: Arrangement = Arrangement()) -> Fields {
        arranged(board, arrangement).merging([
            "summary": summary(of: board),
            "tail": tail(of: board), "tailLength": String(Self.tailLength),
            "stores": board.stores.isEmpty
                ? nil : ["cards": board.stores.map { storeCard($0, isWhole: false) }] as Fields,
        ])
    }

    /// The operations that can be started by themselves.
    var wholes: [CatalogEntry] { catalog.entries.filter { $0.partOf == nil } }

    /// An operation's card; `position` is its place in the catalog, looked up where it is not given.
    func card(_ id: String, of view: OperationView?, at position: Int? = nil) -> Fields {
        let cardID = "op-\(id)"
        var card: Fields = [
            "cardID": cardID, "operation": operation(id), "stateID": "\(cardID)-state", "isWatched": isWatched(id),
            "position": String(position ?? wholes.firstIndex { $0.id == id } ?? 0),
            "changed": String(changed(view?.latest)), "isPinned": false,
            "tags": catalog[id].flatMap { $0.tags.isEmpty ? nil : $0.tags.sorted().joined(separator: " ") },
            "others": (view?.activeRuns).flatMap { $0 > 1 ? format.integer(Int64($0)) : nil },
        ]
        guard let run = view?.latest else {
            card["chip"] = catalog[id].map {
                chip($0.initial.caseName, $0.initial.phase, in: id).merging(["chipID": "\(cardID)-chip"])
            }
            card["start"] = cardStart(id)
            return card
        }
        let isUrgent = run.record.endedAt != nil && run.record.state.phase != .succeeded
        card["chip"] = chip(run.record, in: cardID)
        card["run"] = summary(run.record)
        card["about"] = about(run.record)
        card["hasFile"] = hasFile(run.record)
        card["state"] = cardState(run)
        card["cancel"] = cancelForm(run.record)
        card["retry"] = isUrgent ? retryForm(run.record, follows: false) : nil
        card["start"] = run.record.endedAt != nil && !isUrgent ? cardStart(id) : nil
        card["again"] = isUrgent ? againURL(run.record) : nil
        return card
    }

    /// The part of a card that a tick changes.
    func cardState(_ run: RunView) -> TrustedHTML {
        let id = "op-\(run.record.operation)"
        return statePanel(run, id: "\(id)-state", place: Place(uid: id, isCompact: true))
    }

    /// The number of operations in each state.
    func summary(of board: BoardView) -> [Fields] {
        let views = views(of: board)
        let phases = wholes.map { views[$0.id]?.latest?.record.state.phase ?? $0.initial.phase }
        let groups: [(key: String, phase: Phase?, members: Set<Phase>)] = [
            ("all", nil, Set(Phase.allCases)), ("active", .active, [.active]), ("failed", .failed, [.failed]),
            ("stopped", .cancelled, [.cancelled, .interrupted]), ("succeeded", .succeeded, [.succeeded]),
        ]
        return groups.compactMap { key, phase, members in
            let count = phases.count { members.contains($0) }
            guard count > 0 || phase == nil else { return nil }
            return [
                "countID": "summary-\(key)", "word": strings.optional("summary.\(key)") ?? key,
                "count": format.integer(Int64(count)),
                "tone": phase?.tone, "shape": phase?.shape,
            ]
        }
    }

    /// The views of operations, by id.
    func views(of board: BoardView) -> [String: OperationView] {
        Dictionary(board.operations.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The latest runs that the view knows, newest first, each with the states that it passed through.
    ///
    /// What runs only while somebody is watching is left out: looking at a page is no news.
    func tail(of board: BoardView) -> [Fields] { listed(board).map(tailItem) }

    /// Whether the tail lists a run.
    func isListed(_ run: RunView, on board: BoardView) -> Bool {
        listed(board).contains { $0.record.id == run.record.id }
    }

    private func listed(_ board: BoardView) -> some Sequence<RunView> {
        var seen: Set<String> = []
        return (board.recentRuns + board.operations.flatMap(\.recent))
            .filter { run in
                let operation = run.record.operation
                return !isWatched(operation) && catalog[operation]?.partOf == nil && seen.insert(run.record.id).inserted
            }
            .sorted { $0.record.openedSequence > $1.record.openedSequence }.prefix(Self.tailLength)
    }

    /// A run as an item of the tail.
    func tailItem(_ run: RunView) -> Fields {
        let record = run.record
        let passed = run.transitions.dropLast().suffix(Self.tailStates)
        let itemID = "tail-\(record.id)"
        return row(record).merging([
            "itemID": itemID, "at": moment(record.startedAt), "chip": chip(record, in: itemID),
            "passed": passed.map { chip($0, of: record).merging(["passedID": "\(itemID)-\($0.revision)"]) },
        ])
    }

    /// How many of the states that a run passed through its item of the tail shows, the newest.
    private static var tailStates: Int { 8 }
}
