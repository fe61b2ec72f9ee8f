import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

extension PageWriter {
    /// An operation's page.
    func operationPage(
        _ view: OperationView, draft: FormDraft?, schedule: ScheduleView? = nil, hooks: PageHooks? = nil,
        mistakes: [String]? = nil
    ) -> Fields {
        let mistakes = mistakes ?? catalog[view.id]?.declaration?.mistakes ?? []
        return [
            "mistakes": mistakes.map { ["message": $0] as Fields }, "hasMistakes": !mistakes.isEmpty,
            "operation": operation(view.id), "facts": facts(view), "current": current(view),
            "earlier": earlier(view.recent.dropFirst()),
            "scrubber": scrubber(operation: view.id, view.latest), "isPast": false,
            "pairing": compareChoice(view, view.recent, view.recent),
            "start": startForm(view.id, draft: draft), "schedule": schedule.map { self.schedule($0) },
            "hooks": hooks.map { self.hooks($0) },
            "healthURL": "\(base)/operations/\(view.id)/health",
            "runsURL": "\(base)/runs?operation=\(view.id)", "apiURL": "\(base)/api/v1/operations/\(view.id)",
        ]
    }

    /// What continues in an operation beside what its current run shows.
    func facts(_ view: OperationView) -> Fields {
        let entry = catalog[view.id]
        let isReported = entry?.isReported ?? false
        // What a second start does matters only where somebody can start a run.
        let reentry = isReported || isWatched(view.id) ? nil : entry?.reentry
        return [
            "isWatched": isWatched(view.id), "activeRuns": format.integer(Int64(view.activeRuns)),
            "isRunning": view.activeRuns > 0,
            "isReported": isReported,
            "reentry": reentry.flatMap { strings.optional("reentry.\($0.rawValue)") },
            "timeout": (entry?.timeout).map { format.duration($0.components.seconds * 1_000) },
        ]
    }

    /// The operation's newest run.
    func current(_ view: OperationView) -> Fields {
        ["run": view.latest.map { render("partials/run", run($0, isAlone: false)) }, "isWatched": isWatched(view.id)]
    }

    /// The rows of runs before it.
    func earlier(_ runs: some Sequence<RunView>) -> [Fields] { runs.map { row($0.record) } }
}
