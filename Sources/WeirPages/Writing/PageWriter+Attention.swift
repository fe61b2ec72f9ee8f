import WeirAccess
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

/// What needs a person on the overview: pending decisions, then operations that fail, then schedules that did not start.
struct Attention: Equatable {
    struct Decision: Equatable {
        let run: RunView
        let step: StepsProgress.Step
        var asked: Timestamp { step.began ?? run.at }
    }

    /// An operation whose newest ended run failed or was interrupted.
    struct Failure: Equatable {
        let run: RunView
        /// The number of failures in a row, the newest included.
        let count: Int
        /// The first failure of the row among the known runs.
        let first: RunView
        /// The success before the row; nil if the known runs have none.
        let success: RunView?
        let isActive: Bool
        /// The runs of its failed steps.
        let steps: [RunRecord]
        let acknowledgement: Acknowledgement?
    }

    /// A schedule whose latest start did not happen, of an operation that has not begun a run since.
    struct Unstarted: Equatable {
        let operation: String
        let start: MissedStart
        /// The first of the starts in a row that did not happen.
        let since: Timestamp
        /// The newest active run, which may be the reason.
        let active: RunView?
        let acknowledgement: Acknowledgement?
    }

    var decisions: [Decision] = []
    var failures: [Failure] = []
    var unstarted: [Unstarted] = []
    var acknowledged: [Failure] = []
    var acknowledgedStarts: [Unstarted] = []
    /// The newest acknowledged failure, or failure of an operation that has succeeded since; nil if there is none.
    var lastFailure: RunView?

    var count: Int { decisions.count + failures.count + unstarted.count }
}

extension PageWriter {
    private static var attentionLimit: Int { 20 }

    func attention(of board: BoardView) -> Attention {
        let views = views(of: board)
        var attention = Attention()
        for entry in wholes {
            if let start = unstarted(entry.id, views[entry.id]) {
                if start.acknowledgement == nil {
                    attention.unstarted.append(start)
                } else {
                    attention.acknowledgedStarts.append(start)
                }
            }
            guard let view = views[entry.id] else { continue }
            for run in view.recent where entry.plan != nil {
                attention.decisions += pendingDecisions(of: run.record).map { .init(run: run, step: $0) }
            }
            let row = FailureRow(view.recent, record: \.record)
            if let newest = row.failures.first, let first = row.failures.last {
                let failure = Attention.Failure(
                    run: newest, count: row.failures.count, first: first, success: row.success,
                    isActive: view.recent.contains { $0.record.endedAt == nil },
                    steps: failedSteps(of: newest.record, among: views),
                    acknowledgement: acknowledged[entry.id].flatMap {
                        $0.applies(after: row.success?.record) ? $0 : nil
                    })
                guard failure.acknowledgement != nil else {
                    attention.failures.append(failure)
                    continue
                }
                attention.acknowledged.append(failure)
            }
            guard let failed = row.newest else { continue }
            if attention.lastFailure.map({ $0.at < failed.at }) ?? true { attention.lastFailure = failed }
        }
        attention.decisions.sort { $0.asked < $1.asked }
        attention.failures.sort { $0.run.at > $1.run.at }
        attention.unstarted.sort { $0.since > $1.since }
        attention.acknowledged.sort { $0.run.at > $1.run.at }
        return attention
    }

    private func unstarted(_ operation: String, _ view: OperationView?) -> Attention.Unstarted? {
        guard let standing = withoutStart[operation], let start = standing.missingStart(of: operation),
            let since = standing.firstUnstarted
        else { return nil }
        let runs = view?.recent ?? []
        guard !runs.contains(where: { $0.record.startedAt > start.at }) else { return nil }
        return Attention.Unstarted(
            operation: operation, start: start, since: since, active: runs.first { $0.record.endedAt == nil },
            acknowledgement: acknowledged[operation].flatMap { $0.applies(to: standing) ? $0 : nil })
    }

    private func failedSteps(of record: RunRecord, among views: [String: OperationView]) -> [RunRecord] {
        RunSurroundings.failedSteps(of: record) { steps.steps(of: record) }.compactMap { step in
            allows(.see, onOperation: step.operation)
                ? views[step.operation]?.recent.first { $0.record.id == step.run }?.record : nil
        }
    }

    /// The steps of an active run that wait for a decision.
    func pendingDecisions(of record: RunRecord) -> [StepsProgress.Step] {
        guard record.endedAt == nil else { return [] }
        return stepsProgress(record)?.steps.filter { $0.status == .asking } ?? []
    }

    /// The fields of `partials/attention`.
    func attentionFields(_ attention: Attention) -> Fields {
        let decisions = attention.decisions.prefix(Self.attentionLimit).map(decision)
        let failures = attention.failures.prefix(Self.attentionLimit - decisions.count).map(failure)
        let unstarted = attention.unstarted.prefix(Self.attentionLimit).map(unstarted)
        let more = attention.count - attention.unstarted.count - decisions.count - failures.count
        let moreUnstarted = attention.unstarted.count - unstarted.count
        let known =
            attention.acknowledged.prefix(Self.attentionLimit).map(acknowledged)
            + attention.acknowledgedStarts.prefix(Self.attentionLimit).map(acknowledged)
        let knownCount = attention.acknowledged.count + attention.acknowledgedStarts.count
        return [
            "hasAttention": attention.count > 0, "decisions": Array(decisions), "failures": Array(failures),
            "unstarted": unstarted,
            "moreAttention": more > 0 ? format.integer(Int64(more)) : nil,
            "failedURL": "\(base)/runs?phase=failed",
            "moreUnstarted": moreUnstarted > 0 ? format.integer(Int64(moreUnstarted)) : nil,
            "schedulesURL": "\(base)/schedules",
            "acknowledged": known.isEmpty
                ? nil : ["count": format.integer(Int64(knownCount)), "items": known] as Fields,
            "lastFailure": attention.lastFailure.map { row($0.record).merging(["chip": nil]) },
        ]
    }

    private func decision(_ decision: Attention.Decision) -> Fields {
        let (record, step) = (decision.run.record, decision.step)
        let mayDecide = permissions.allows(.act, on: .approval(operation: record.operation, step: step.name))
        let id = "asks-\(record.id)-\(step.name)"
        return row(record).merging([
            "attentionID": id, "prompt": step.prompt ?? label(of: step.name, in: record.operation),
            "stepTitle": label(of: step.name, in: record.operation),
            "since": moment(decision.asked), "until": step.until.map(moment),
            "form": mayDecide
                ? ["action": "\(base)/runs/\(record.id)/decision", "formID": "\(id)-form", "step": step.name] as Fields
                : nil,
        ])
    }

    private func failure(_ failure: Attention.Failure) -> Fields {
        let record = failure.run.record
        return row(record).merging(error(of: record)).merging([
            "attentionID": "fails-\(record.operation)",
            "inARow": failure.count > 1 ? format.integer(Int64(failure.count)) : nil,
            "since": moment(failure.first.at),
            "success": failure.success.map { success($0.record, before: record) },
            "causes": failure.steps.map(cause),
            // The card of the operation has a form for the same run.
            "retry": failure.isActive
                ? nil
                : retryForm(record, follows: false)?.merging([
                    "formID": "attention-retry-\(record.id)", "isFirst": true,
                ]),
            "isActive": failure.isActive, "pause": pause(ofFailing: record.operation),
            "acknowledgeURL": allows(.start, onOperation: record.operation)
                ? acknowledgementURL(of: record.operation) : nil,
        ])
    }

    private func unstarted(_ item: Attention.Unstarted) -> Fields {
        let schedule = catalog[item.operation]?.schedule
        return [
            "attentionID": "unstarted-\(item.operation)", "operation": operation(item.operation),
            "url": scheduleURL(item.operation), "reason": reason(of: item.start), "since": moment(item.since),
            "words": schedule.map { words(for: $0.schedule) ?? $0.schedule.text },
            "start": item.active == nil ? start(item, schedule) : nil,
            "active": item.active.map { summary($0.record) },
            "acknowledgeURL": allows(.start, onOperation: item.operation)
                ? acknowledgementURL(of: item.operation) : nil,
            "pause": pause(ofFailing: item.operation),
        ]
    }

    /// The button that starts the missing run, with the schedule's input.
    private func start(_ item: Attention.Unstarted, _ schedule: ScheduledStart?) -> Fields? {
        let input = schedule?.input(at: item.start.planned).object ?? [:]
        let id = "start-\(item.operation)-now"
        guard !input.isEmpty else { return cardStart(item.operation)?.merging(["formID": id]) }
        return cardStart(item.operation)?.merging([
            "formID": id, "formURL": false,
            "hidden": (catalog[item.operation]?.fields ?? []).compactMap { field -> Fields? in
                // A form without a switch would switch it off.
                let value =
                    input[field.name] ?? (field.kind == .boolean || field.takesSeveral ? field.defaultValue : nil)
                return value.map { ["name": field.controlName, "value": localized($0.formText, in: field)] }
            },
        ])
    }

    private func reason(of start: MissedStart) -> String {
        switch start.reason {
        case .passed: strings[.attentionPassed]
        case .refused(let words): strings.said(recorded: words)
        }
    }

    private func scheduleURL(_ operation: String) -> String { "\(base)/schedules#schedule-\(operation)" }

    /// The link that pauses the schedule of a failing operation, or nil if it has none or is paused.
    func pause(ofFailing operation: String) -> Fields? {
        guard catalog[operation]?.schedule != nil, !paused.contains(operation), allows(.start, onOperation: operation)
        else { return nil }
        return ["isPaused": false, "isElsewhere": true, "action": pauseURL(of: operation)]
    }

    /// The fields of `pages/note` for an acknowledgement; nil if the newest run of the operation did not fail and no start of its
    /// schedule is missing.
    ///
    /// Forms with a note have pages of their own, because browsers without JavaScript reload live pages after each change.
    func acknowledgePage(_ operation: String, on board: BoardView) -> Fields? {
        let attention = attention(of: board)
        let failures = attention.failures + attention.acknowledged
        let starts = attention.unstarted + attention.acknowledgedStarts
        let record = failures.first { $0.run.record.operation == operation }?.run.record
        let start = starts.first { $0.operation == operation }?.start
        guard record != nil || start != nil else { return nil }
        return (record.map(error) ?? ["reason": start.map(reason)]).merging([
            "operation": self.operation(operation), "title": strings[.acknowledge], "name": "note",
            "label": strings[.acknowledgeNote], "action": acknowledgementURL(of: operation), "hasHours": true,
            "ending": strings[record == nil ? .acknowledgedToStart : .acknowledgedToSuccess],
            "hours": ([1, 8, 24, 168] as [Int64]).map { hours in
                ["value": String(hours), "word": format.wholeHours(hours)] as Fields
            },
        ])
    }

    /// The fields of `pages/note` for a pause of a schedule.
    func pausePage(_ operation: String) -> Fields {
        [
            "operation": self.operation(operation), "title": strings[.schedulePauseThis], "name": "reason",
            "label": strings[.scheduleReason], "action": pauseURL(of: operation),
        ]
    }

    private func acknowledgementURL(of operation: String) -> String {
        "\(base)/operations/\(operation)/acknowledgement"
    }

    private func pauseURL(of operation: String) -> String { "\(base)/schedules/\(operation)/pause" }

    private func acknowledged(_ failure: Attention.Failure) -> Fields {
        let record = failure.run.record
        return row(record).merging(error(of: record)).merging(
            known(failure.acknowledgement, of: record.operation, "known-\(record.operation)", .acknowledgedToSuccess))
    }

    private func acknowledged(_ start: Attention.Unstarted) -> Fields {
        let fields: Fields = [
            "operation": operation(start.operation), "url": scheduleURL(start.operation),
            "sentence": reason(of: start.start),
        ]
        let id = "known-start-\(start.operation)"
        return fields.merging(known(start.acknowledgement, of: start.operation, id, .acknowledgedToStart))
    }

    private func known(
        _ acknowledgement: Acknowledgement?, of operation: String, _ id: String, _ end: StringKey
    ) -> Fields {
        [
            "attentionID": id, "by": acknowledgement?.by, "at": (acknowledgement?.at).map(moment),
            "note": acknowledgement?.note, "until": (acknowledgement?.until).map(moment), "end": strings[end],
            "ending": allows(.start, onOperation: operation)
                ? ["action": "\(acknowledgementURL(of: operation))/end", "formID": "\(id)-end"] as Fields : nil,
        ]
    }
}

extension PageWriter {
    private static var wallLimit: Int { 30 }

    /// The fields of `pages/wall`: the runs that need a person, and the active ones.
    func wall(_ board: BoardView) -> Fields {
        let attention = attention(of: board)
        return attentionFields(attention).merging([
            "summary": summary(of: board, attention), "running": running(on: board),
        ])
    }

    /// The active runs of operations that can be started, oldest first.
    func running(on board: BoardView) -> [Fields] {
        let active = activeRuns(on: board).sorted { $0.record.openedSequence < $1.record.openedSequence }
        return active.prefix(Self.wallLimit).map { run in
            row(run.record).merging(["runningID": "wall-\(run.record.id)", "state": wallState(run, on: board)])
        }
    }

    /// The active runs of operations that can be started on their own.
    func activeRuns(on board: BoardView) -> [RunView] {
        let views = views(of: board)
        return wholes.flatMap { views[$0.id]?.recent.filter(isActive) ?? [] }
    }

    func isActive(_ run: RunView) -> Bool { run.record.endedAt == nil && !isWatched(run.record.operation) }

    /// The state of a run, or its place in the queue of a board; the decisions that it waits for are above.
    func wallState(_ run: RunView, on board: BoardView? = nil) -> TrustedHTML {
        let id = "wall-\(run.record.id)"
        guard run.record.state.phase == .active, pendingDecisions(of: run.record).isEmpty else {
            return workingNow(run, on: board, id: id, panelID: "\(id)-state")
        }
        return statePanel(run, id: "\(id)-state", place: Place(uid: id, isCompact: true))
    }
}
