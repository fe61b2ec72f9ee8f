import Boards
import Journals
import States

extension PageWriter {
    /// How many of the latest transitions the overview lists.
    static var tailLength: Int { 12 }

    /// The overview.
    func board(_ board: BoardView) -> Fields {
        [
            "cards": catalog.entries.map { card($0.id, on: board) }, "summary": summary(of: board),
            "tail": tail(of: board), "tailLength": String(Self.tailLength),
            "stores": board.stores.isEmpty
                ? nil : ["cards": board.stores.map { storeCard($0, isWhole: false) }] as Fields,
        ]
    }

    /// An operation's card.
    func card(_ id: String, on board: BoardView) -> Fields {
        let view = board.operation(id)
        let cardID = "op-\(id)"
        var card: Fields = [
            "cardID": cardID, "operation": operation(id), "stateID": "\(cardID)-state", "isWatched": isWatched(id),
            "others": (view?.activeRuns).flatMap { $0 > 1 ? format.integer(Int64($0)) : nil },
        ]
        guard let run = view?.latest else {
            card["chip"] = catalog[id].map { chip($0.initial.caseName, $0.initial.phase, in: id) }
            card["start"] = cardStart(id)
            return card
        }
        let isUrgent = run.record.endedAt != nil && run.record.state.phase != .succeeded
        card["chip"] = chip(run.record.state.caseName, run.record.state.phase, in: id)
        card["run"] = summary(run.record)
        card["about"] = about(run.record)
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
        let phases = catalog.entries.map { board.operation($0.id)?.latest?.record.state.phase ?? $0.initial.phase }
        let groups: [(key: String, phase: Phase?, members: Set<Phase>)] = [
            ("all", nil, Set(Phase.allCases)), ("active", .active, [.active]), ("failed", .failed, [.failed]),
            ("stopped", .cancelled, [.cancelled, .interrupted]), ("succeeded", .succeeded, [.succeeded]),
        ]
        return groups.compactMap { key, phase, members in
            let count = phases.count { members.contains($0) }
            guard count > 0 || phase == nil else { return nil }
            return [
                "word": strings.optional("summary.\(key)") ?? key, "count": format.integer(Int64(count)),
                "tone": phase?.tone, "shape": phase?.shape,
            ]
        }
    }

    /// The latest transitions of all runs that the view knows, newest first.
    func tail(of board: BoardView) -> [Fields] {
        var seen: Set<String> = []
        let runs = Self.listed(board).filter { seen.insert($0.record.id).inserted }
        let all = runs.flatMap { run in
            run.transitions.suffix(Self.tailLength).map { (transition: $0, record: run.record) }
        }
        return all.sorted { $0.transition.sequence > $1.transition.sequence }.prefix(Self.tailLength).map {
            tailItem($0.transition, of: $0.record)
        }
    }

    /// Whether the tail lists a run's transitions.
    func isListed(_ run: RunView, on board: BoardView) -> Bool {
        Self.listed(board).contains { $0.record.id == run.record.id }
    }

    private static func listed(_ board: BoardView) -> [RunView] {
        board.recentRuns + board.operations.flatMap(\.recent)
    }

    /// A transition as an item of the tail.
    func tailItem(_ transition: Transition, of record: RunRecord) -> Fields {
        [
            "itemID": "c\(transition.sequence)", "at": moment(transition.at), "run": summary(record),
            "operation": operation(record.operation), "about": about(record),
            "chip": chip(transition.caseName, transition.phase, in: record.operation),
        ]
    }
}
