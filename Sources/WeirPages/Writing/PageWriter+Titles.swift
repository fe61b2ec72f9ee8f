import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// What the document's title and icon say of a page, for `partials/title`.
    func title(_ content: PageContent) -> Fields {
        switch content {
        case .board(let board): title(strings[.overview], tone: tone(of: board), count: running(board))
        case .runs: title(strings[.runs])
        case .operation(let view): title(title(of: view.id), standing: view.latest)
        case .run(let view): title(title(of: view.record.operation), standing: view)
        case .stores: title(strings[.stores])
        case .store(let view): title(storeTitle(view.id), state: view.state)
        }
    }

    /// A title without state.
    func title(_ words: String, tone: String = "idle", count: Int = 0) -> Fields {
        let mark = count > 0 ? "(\(format.integer(Int64(count)))) " : ""
        return ["title": "\(mark)\(words) \u{B7} Weir", "tone": tone]
    }

    private func title(_ words: String, standing run: RunView?) -> Fields {
        run.map { title(words, state: $0.record.state) } ?? title(words)
    }

    private func title(_ words: String, state: StateRecord) -> Fields {
        let part = state.phase == .active ? state.progress?.fraction : nil
        let mark = part.map { "(\(format.percent($0)))" } ?? state.phase.glyph
        return ["title": "\(mark) \(words) \u{B7} Weir", "tone": state.phase.tone]
    }

    private func running(_ board: BoardView) -> Int { board.operations.reduce(0) { $0 + $1.activeRuns } }

    private func tone(of board: BoardView) -> String {
        let phases = board.operations.compactMap { $0.latest?.record.state.phase }
        return phases.contains(.failed) ? Phase.failed.tone : phases.contains(.active) ? Phase.active.tone : "idle"
    }
}
