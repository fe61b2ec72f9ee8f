import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    static var workingLimit: Int { 8 }

    /// The active runs of operations that can be started on their own: running ones first, each group oldest first.
    func working(on board: BoardView) -> [RunView] {
        let views = views(of: board)
        let active = wholes.flatMap { views[$0.id]?.recent.filter(isActive) ?? [] }
        return active.sorted { first, second in
            let (isQueued, isOtherQueued) = (isQueued(first), isQueued(second))
            return isQueued == isOtherQueued
                ? first.record.openedSequence < second.record.openedSequence : isOtherQueued
        }
    }

    private func isQueued(_ run: RunView) -> Bool { run.record.state.phase == .idle }

    /// The fields of `partials/working`.
    func workingFields(on board: BoardView) -> Fields {
        let active = working(on: board)
        let shown = active.prefix(Self.workingLimit)
        return [
            "hasWorking": !active.isEmpty, "working": shown.map { workingItem($0, on: board) },
            "moreWorking": active.count > shown.count ? format.integer(Int64(active.count - shown.count)) : nil,
            "activeURL": "\(base)/runs?phase=active",
        ]
    }

    func isWorkingShown(_ run: RunView, on board: BoardView) -> Bool {
        working(on: board).prefix(Self.workingLimit).contains { $0.record.id == run.record.id }
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
        let around = board.map { surroundings(run, RunSurroundings(of: run, on: $0)) }
        return render(
            "partials/working-now",
            [
                "nowID": "\(id)-now", "word": chip(run.record)["word"],
                "gauge": run.record.state.phase == .active
                    ? gauge(run.record.state.progress, in: Place(uid: id, isCompact: true)) : nil,
                "left": left(run), "queue": around?["queue"],
            ])
    }
}
