import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// An operation or a run in short, for `pages/widget`; nil for a page of anything else.
    ///
    /// Nothing can be done on it: another site's page could lie over it.
    func widget(_ content: PageContent, after: String?) -> Fields? {
        let (run, id, path): (RunView?, String, String)
        switch content {
        case .operation(let view): (run, id, path) = (view.latest, view.id, "operations/\(view.id)")
        case .run(let view): (run, id, path) = (view, view.record.operation, "runs/\(view.record.id)")
        case .board, .runs, .stores, .store: return nil
        }
        let initial = catalog[id].map { chip($0.initial.caseName, $0.initial.phase, in: id) }
        return [
            "operation": operation(id), "url": "\(base)/\(path)", "after": after, "pageTitle": title(content),
            "chip": run.map { chip($0.record) } ?? initial, "run": run.map { summary($0.record) },
            "about": run.flatMap { about($0.record) },
            "state": run.map { statePanel($0, id: "widget-state", place: Place(uid: "widget", isCompact: true)) },
        ]
    }
}
