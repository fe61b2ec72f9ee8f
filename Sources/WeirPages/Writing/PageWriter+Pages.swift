import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// A run's page.
    func runPage(_ view: RunView, output: PageOutput? = nil, hooks: PageHooks? = nil) -> Fields {
        [
            "operation": operation(view.record.operation), "run": render("partials/run", run(view, isAlone: true)),
            "output": output.map { self.output($0, of: view.record.id) }, "hooks": hooks.map { self.hooks($0) },
            "apiURL": "\(base)/api/v1/runs/\(view.record.id)", "id": view.record.id,
            "url": "\(base)/runs/\(view.record.id)", "mayStart": mayStart(view.record.operation),
            "scrubber": scrubber(run: view), "isPast": false,
            // A link shows one run, and leads to nothing else.
            "isFramed": !permissions.isLink,
            "compareURL": permissions.isLink
                ? nil : "\(base)/operations/\(view.record.operation)/compare?b=\(view.record.id)",
            "exportURL": allows(.export, onOperation: view.record.operation)
                ? "\(base)/runs/\(view.record.id)/export" : nil,
            "linksURL": offersLinks && allows(.export, onOperation: view.record.operation)
                ? "\(base)/runs/\(view.record.id)/links" : nil,
            "isImported": view.record.origin != nil,
        ]
    }

    /// Whether a reader may start an operation themselves, here or by a command.
    private func mayStart(_ operation: String) -> Bool {
        guard let entry = catalog[operation], entry.isStartable, !isWatched(operation) else { return false }
        return !hasFile(operation) && allows(.start, onOperation: operation)
    }

    /// What a problem's page is called.
    func title(of problem: PageProblem) -> String { strings.optional("problem.\(problem.status)") ?? problem.title }

    /// A problem.
    func problemPage(_ problem: PageProblem) -> Fields {
        [
            "status": String(problem.status),
            "title": title(of: problem), "detail": strings(problem.detail),
        ]
    }

    /// A start form alone.
    func startPage(_ operation: String, draft: FormDraft) -> Fields {
        ["operation": self.operation(operation), "start": startForm(operation, draft: draft)]
    }
}
