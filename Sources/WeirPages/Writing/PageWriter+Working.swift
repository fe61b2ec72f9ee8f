import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    static var workingLimit: Int { 8 }

    /// The active runs of operations that can be started on their own: running ones first, each group oldest first.
    func working(on board: BoardView) -> [RunView] {
        activeRuns(on: board).sorted { first, second in
            let (isQueued, isOtherQueued) = (isQueued(first, on: board), isQueued(second, on: board))
            return isQueued == isOtherQueued
                ? first.record.openedSequence < second.record.openedSequence : isOtherQueued
        }
    }

    /// Whether others are in front of a run; one that is about to begin keeps its place when it does.
    private func isQueued(_ run: RunView, on board: BoardView) -> Bool {
        run.record.state.phase == .idle && RunSurroundings(of: run, on: board).ahead > 0
    }

    /// The fields of `partials/working`.
    func workingFields(on board: BoardView) -> Fields {
        let active = working(on: board)
        let shown = active.prefix(Self.workingLimit)
        // The board keeps the newest runs of each operation only, and the number of all active ones.
        let views = views(of: board)
        let count = wholes.reduce(0) { $0 + (isWatched($1.id) ? 0 : views[$1.id]?.activeRuns ?? 0) }
        let more = max(active.count, count) - shown.count
        return [
            "hasWorking": !active.isEmpty, "working": shown.map { workingItem($0, on: board) },
            "moreWorking": more > 0 ? format.integer(Int64(more)) : nil,
            "activeURL": "\(base)/runs?phase=active",
        ]
    }

    /// Whether a running run is among the listed ones; called for each tick, so nothing is sorted.
    func isWorkingShown(_ run: RunView, on board: BoardView) -> Bool {
        let record = run.record
        guard isActive(run), catalog[record.operation]?.partOf == nil,
            board.operation(record.operation)?.recent.contains(where: { $0.record.id == record.id }) == true
        else { return false }
        var earlier = 0
        for operation in board.operations where operation.activeRuns > 0 {
            guard let entry = catalog[operation.id], entry.partOf == nil else { continue }
            earlier += operation.recent.count {
                isActive($0) && !isQueued($0, on: board) && $0.record.openedSequence < record.openedSequence
            }
        }
        return earlier < Self.workingLimit
    }

    private func workingItem(_ run: RunView, on board: BoardView) -> Fields {
        let id = "works-\(run.record.id)"
        return row(run.record).merging([
            "workingID": id, "tone": tone(of: run.record), "now": workingNow(run, on: board),
            "cancel": cancelForm(run.record)?.merging(["formID": "\(id)-cancel"]),
        ])
    }

    /// The state of an active run, its progress and remaining time, or its place in the queue of a board.
    func workingNow(_ run: RunView, on board: BoardView? = nil) -> TrustedHTML {
        let id = "works-\(run.record.id)"
        return workingNow(run, on: board, id: id, panelID: "\(id)-now")
    }

    func workingNow(_ run: RunView, on board: BoardView?, id: String, panelID: String) -> TrustedHTML {
        let around = board.map { surroundings(run, RunSurroundings(of: run, on: $0)) }
        return render(
            "partials/working-now",
            [
                "nowID": panelID, "word": chip(run.record)["word"],
                "gauge": run.record.state.phase == .active
                    ? gauge(run.record.state.progress, in: Place(uid: id, isCompact: true)) : nil,
                "left": left(run), "queue": around?["queue"],
            ])
    }
}
