import WeirAccess
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

extension PageWriter {
    func operationPage(
        _ view: OperationView, draft: FormDraft?, schedule: ScheduleView? = nil, hooks: PageHooks? = nil,
        presets: (own: [InputPreset], chosen: String?) = ([], nil), mistakes: [String]? = nil
    ) -> Fields {
        let mistakes = mistakes ?? catalog[view.id]?.declaration?.mistakes ?? []
        return [
            "mistakes": mistakes.map { ["message": $0] as Fields }, "hasMistakes": !mistakes.isEmpty,
            "operation": operation(view.id), "facts": facts(view), "current": current(view),
            "earlier": earlier(view.recent.dropFirst()),
            "scrubber": scrubber(operation: view.id, view.latest), "isPast": false, "timeline": nil,
            "pairing": compareChoice(view, view.recent, view.recent),
            "start": startForm(view.id, draft: draft),
            "presets": self.presets(view.id, own: presets.own, chosen: presets.chosen),
            "schedule": schedule.map { self.schedule($0) },
            "hooks": hooks.map { self.hooks($0) },
            "healthURL": "\(base)/operations/\(view.id)/health",
            "runsURL": "\(base)/runs?operation=\(view.id)", "apiURL": "\(base)/api/v1/operations/\(view.id)",
        ]
    }

    func facts(_ view: OperationView) -> Fields {
        let entry = catalog[view.id]
        let isReported = entry?.isReported ?? false
        // The effect of a second start matters only if users can start runs.
        let reentry = isReported || isWatched(view.id) ? nil : entry?.reentry
        return [
            "isWatched": isWatched(view.id), "activeRuns": format.integer(Int64(view.activeRuns)),
            "isRunning": view.activeRuns > 0,
            "isReported": isReported,
            "reentry": reentry.flatMap { strings.optional("reentry.\($0.rawValue)") },
            "timeout": (entry?.timeout).map { format.duration($0.components.seconds * 1_000) },
        ]
    }

    func current(_ view: OperationView) -> Fields {
        [
            "run": view.latest.map { render("partials/run", run($0, isAlone: false)) }, "isWatched": isWatched(view.id),
            "stepList": view.latest == nil ? plannedSteps(view.id) : nil,
        ]
    }

    func earlier(_ runs: some Sequence<RunView>) -> [Fields] { runs.map { row($0.record) } }
}

extension PageWriter {
    func runPage(
        _ view: RunView, output: PageOutput? = nil, hooks: PageHooks? = nil, around: RunSurroundings? = nil
    ) -> Fields {
        let shown = run(view, isAlone: true).merging(surroundings(view, around))
        return [
            "operation": operation(view.record.operation), "run": render("partials/run", shown),
            "origin": origin(view, around), "timeline": hasLanes(view.record) ? nil : timeline(view),
            "output": output.map { self.output($0, of: view.record.id) }, "hooks": hooks.map { self.hooks($0) },
            "apiURL": "\(base)/api/v1/runs/\(view.record.id)", "id": view.record.id,
            "url": "\(base)/runs/\(view.record.id)", "mayStart": mayStart(view.record.operation),
            "scrubber": scrubber(run: view), "isPast": false,
            // A share link shows one run and leads nowhere else.
            "isFramed": !permissions.isLink,
            "compareURL": permissions.isLink
                ? nil : around?.earlierSuccess.map { comparisonURL($0, view.record) },
            "exportURL": allows(.export, onOperation: view.record.operation)
                ? "\(base)/runs/\(view.record.id)/export" : nil,
            "deleteURL": mayDelete ? "\(base)/runs/change?change=delete&run=\(view.record.id)" : nil,
            "isImported": view.record.origin != nil,
        ]
    }

    /// Whether the reader may start an operation, on a page or by a command.
    private func mayStart(_ operation: String) -> Bool {
        guard let entry = catalog[operation], entry.isStartable, !isWatched(operation) else { return false }
        return !hasFile(operation) && allows(.start, onOperation: operation)
    }

    func title(of problem: PageProblem) -> String { strings.optional("problem.\(problem.status)") ?? problem.title }

    func problemPage(_ problem: PageProblem) -> Fields {
        [
            "status": String(problem.status),
            "title": title(of: problem), "detail": strings(problem.detail),
        ]
    }
}

extension PageWriter {
    func title(_ content: PageContent) -> Fields {
        switch content {
        case .board(let board), .wall(let board):
            title(of: attention(of: board))
        case .runs: title(strings[.runs])
        case .operation(let view): title(title(of: view.id), standing: view.latest)
        case .run(let view): title(title(of: view.record.operation), standing: view)
        case .stores: title(strings[.stores])
        case .store(let view): title(storeTitle(view.id), state: view.state)
        }
    }

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

    /// The title of the overview: the number of runs that need a person, and the icon of the most urgent one.
    func title(of attention: Attention) -> Fields {
        let tone =
            !attention.failures.isEmpty
            ? Phase.failed.tone : attention.count > 0 ? Phase.interrupted.tone : Phase.idle.tone
        return title(strings[.overview], tone: tone, count: attention.count)
    }
}
