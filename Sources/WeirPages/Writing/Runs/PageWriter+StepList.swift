import WeirAccess
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

extension PageWriter {
    /// The steps of a run with their own runs, for `partials/step-list`; nil for an operation without steps.
    ///
    /// A step whose operation the reader may not see shows only its name and status.
    func stepList(_ run: RunView, _ place: Place) -> Fields? {
        guard var progress = stepsProgress(run.record) else { return nil }
        // A queued run has recorded no steps yet.
        if progress.steps.isEmpty, run.record.endedAt == nil, let plan = catalog[run.record.operation]?.plan {
            progress = StepsProgress(of: plan)
        }
        return stepList(progress, run.record.operation, run, place)
    }

    /// The steps of a run, or of an operation without runs.
    func stepList(_ progress: StepsProgress, _ operation: String, _ run: RunView?, _ place: Place) -> Fields {
        let steps = progress.steps.enumerated().map { ($1, "\(place.uid)-step\($0)") }
        let labels = progress.steps.map { label(of: $0.name, in: operation) }
        let isDrawn = GraphShape.canDraw(progress) && !place.isCompact
        let isListed = !isDrawn && !place.isCompact
        let shape = isDrawn ? GraphShape(progress.steps, label: labels.map(\.count).max() ?? 0) : nil
        // An active run has no critical path yet.
        let critical = shape.flatMap { shape in run.map { criticalPath(progress, shape, $0) } } ?? []
        let asking = steps.filter { $0.0.status == .asking && run?.record.state.phase == .active }
        let questions = run.map { run in
            asking.map { question($0.0, id: $0.1, run.record) }
        }
        return [
            "list": isListed ? list(progress, of: operation, run, uid: place.uid) : nil, "isListed": isListed,
            "graph": shape.map { stepGraph(progress, labels, $0, critical, operation, run, uid: place.uid) },
            "remarks": isDrawn ? remarks(progress, operation, run, uid: place.uid) : nil,
            "lanes": place.isCompact ? nil : run.flatMap { stepLanes(progress, labels, critical, $0, uid: place.uid) },
            "isCompact": place.isCompact,
            "sentence": run.flatMap { run in words(forEndOf: progress, run.record) },
            "hasTakenOver": progress.steps.contains { $0.doneIn != nil }, "asking": questions,
        ]
    }

    /// What the markup of a step depends on, beside the catalog.
    struct ShownStep: Equatable {
        let step: StepsProgress.Step
        /// The failed step that caused a skip.
        var failed: String?
        let isActive: Bool
        /// The moment relative to which the times of an active step are written.
        let now: Timestamp?
    }

    func shown(_ step: StepsProgress.Step, _ record: RunRecord?, failed: String? = nil) -> ShownStep {
        let isActive = record.map { $0.endedAt == nil } ?? false
        let isNow = isActive && !step.status.isOver && step.status != .pending
        return ShownStep(step: step, failed: failed, isActive: isActive, now: isNow ? format.now : nil)
    }

    /// The markup of a list of steps, in which a step that was skipped after a failure names the failed step.
    private func list(
        _ progress: StepsProgress, of operation: String, _ run: RunView?, uid: String
    ) -> TrustedHTML {
        let steps = progress.steps.map { step -> ShownStep in
            // Runs of earlier versions recorded no reason.
            let cause = step.because == nil ? progress.ending?.step : step.because?.step
            let isAfterFailure = step.status == .skipped && progress.ending?.kind == .stepFailed
            return shown(step, run?.record, failed: isAfterFailure ? cause : nil)
        }
        return markup("partials/step-item", of: operation, uid: uid, steps) { index, shown in
            let item = item(shown, id: "\(uid)-step\(index)", of: operation)
            guard let failed = shown.failed else { return item }
            return item.merging(["word": strings(.stepsSkippedAfter, ["step": label(of: failed, in: operation)])])
        }
    }

    /// Renders each step by a template, unless it shows the same as the last time.
    func markup<Shown: Equatable & Sendable>(
        _ template: String, of operation: String, uid: String, _ shown: [Shown], _ fields: (Int, Shown) -> Fields
    ) -> TrustedHTML {
        let key = StepMarkup.Key(template: template, operation: operation, uid: uid, locale: locale)
        return stepMarkup.html(key, showing: shown) { render(template, fields($0, $1)).html }
    }

    func stepsProgress(_ record: RunRecord) -> StepsProgress? {
        guard catalog[record.operation]?.plan != nil else { return nil }
        return steps.steps(of: record)
    }

    /// A step as an item of the list or of the picture.
    func item(_ shown: ShownStep, id: String, of operation: String) -> Fields {
        let step = shown.step
        let isSeen = step.operation.map { allows(.see, onOperation: $0) && catalog[$0] != nil } ?? false
        let phase = step.status.phase
        var word = strings.optional("steps.status.\(step.status.rawValue)") ?? step.status.rawValue
        if isSeen, step.status == .running, let state = step.state, let operation = step.operation {
            word = label(of: state, in: operation)
        }
        let isNow = shown.isActive && !step.status.isOver && step.status != .pending
        let took = step.ended.flatMap { end in step.began.map { format.duration(max(end - $0, 0)) } }
        return [
            "stepID": id, "title": label(of: step.name, in: operation), "word": word, "isNow": isNow,
            "tone": phase.tone, "shape": step.status.shape,
            "attempt": step.attempt.flatMap { $0 > 1 ? format.integer(Int64($0)) : nil },
            "percent": isSeen ? step.progress?.fraction.map(format.percent) : nil,
            "stepRun": isSeen ? step.run.map { link(toRun: $0) } : nil,
            "doneIn": permissions.isLink ? nil : step.doneIn.map { link(toRun: $0) },
            "decided": step.decision.map(words), "comment": step.decision?.comment,
            "duration": took, "since": isNow ? step.began.map(moment) : nil,
        ]
    }

    private func question(_ step: StepsProgress.Step, id: String, _ record: RunRecord) -> Fields {
        let mayDecide = permissions.allows(.act, on: .approval(operation: record.operation, step: step.name))
        let approval = catalog[record.operation]?.plan?.step(step.name)?.approval
        return [
            "prompt": step.prompt, "until": step.until.map(moment),
            "byItself": strings[approval?.approvesByItself == true ? .stepsApprovedAfter : .stepsRefusedAfter],
            "form": mayDecide
                ? [
                    "action": "\(base)/runs/\(record.id)/decision", "formID": "\(id)-decision",
                    "step": step.name, "runURL": "\(base)/runs/\(record.id)",
                ] as Fields : nil,
        ]
    }

    private func words(_ decision: StepsProgress.Decision) -> String {
        guard let by = decision.by else {
            return strings[decision.isApproved ? .stepsApprovedByItself : .stepsRefusedByItself]
        }
        return strings(decision.isApproved ? .stepsApprovedBy : .stepsRefusedBy, ["name": by])
    }

    /// The end of a run that did not succeed, with all its failed steps; nil for other runs.
    func words(forEndOf progress: StepsProgress, _ record: RunRecord) -> String? {
        guard let ending = progress.ending else { return nil }
        let sentence = words(for: ending, of: record)
        let others = progress.otherFailures
        guard !others.named.isEmpty else { return sentence }
        let names = others.named.map { "“\(label(of: $0, in: record.operation))”" }.joined(separator: ", ")
        let more =
            others.more > 0
            ? strings(.stepsAlsoFailedMore, ["steps": names, "n": format.integer(Int64(others.more))])
            : strings(.stepsAlsoFailed, ["steps": names])
        let isEnded = sentence.last.map { ".!?”".contains($0) } ?? true
        return sentence + (isEnded ? " " : ". ") + more
    }

    private func words(for ending: StepsProgress.Ending, of record: RunRecord) -> String {
        let key: StringKey? =
            switch ending.kind {
            case .stepFailed: .stepsFailed
            case .stepCancelled: .stepsCancelled
            case .stepInterrupted: .stepsInterrupted
            case .notStarted: .stepsNotStarted
            case .refused: .stepsRefused
            case .lapsed: .stepsLapsed
            case .tookTooLong: .stepsTooLong
            case .noValue: .stepsNoValue
            case .fileChanged: .stepsFileChanged
            case .other: nil
            }
        let said = ending.detail.map(strings.said)
        guard let key else { return said ?? "" }
        let step = ending.step.map { label(of: $0, in: record.operation) } ?? ""
        let sentence = strings(key, ["step": step, "name": ending.by ?? ""])
        // The reason of a step's failure can contain details that only readers who may see its operation should see.
        let isSeen =
            catalog[record.operation]?.plan?.step(ending.step ?? "")?.operation
            .map { allows(.see, onOperation: $0) } ?? true
        if let items = ending.items {
            let (failed, total) = (format.integer(Int64(items.count)), format.integer(Int64(items.total)))
            guard isSeen else {
                return strings(.stepsFailedCount, ["step": step, "failed": failed, "total": total])
            }
            let sentence = strings(
                .stepsFailedItems, ["step": step, "failed": failed, "total": total, "items": items.names])
            return sentence + (said.map { ". \($0)" } ?? "")
        }
        guard isSeen, let said else { return sentence }
        return sentence + (ending.kind == .refused ? " “\(said)”" : " \(said)")
    }

    /// The forms that start an ended run again from its failed steps or from a chosen one, or nil for other runs.
    func continueForm(_ record: RunRecord, follows: Bool) -> Fields? {
        guard record.endedAt != nil, allows(.start, onOperation: record.operation),
            let progress = stepsProgress(record)
        else { return nil }
        let options = progress.steps.map { step -> Fields in
            ["value": step.name, "label": label(of: step.name, in: record.operation)]
        }
        return [
            "action": "\(base)/runs/\(record.id)/continuation", "formID": "continue-\(record.id)", "follows": follows,
            "hasFailed": StepsMachine.canContinue(progress), "isCancelled": record.state.phase == .cancelled,
            "hasOptions": options.count > 1, "options": options,
        ]
    }
}

extension StepsProgress.Status {
    /// The phase whose look the status has.
    var phase: Phase {
        switch self {
        case .pending, .skipped: .idle
        case .running, .asking, .retrying: .active
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .cancelled
        case .interrupted: .interrupted
        }
    }

    /// The sign of the status, as the path data of `Phase.shape`: skipped steps and open questions have their own.
    var shape: String {
        switch self {
        case .skipped: "M1 7h14v2H1zM4.5 3h7v1.8h-7zm0 8.2h7V13h-7z"
        case .asking: "M4.2 5.4A3.8 3.8 0 1 1 9 9v1.6H7V7.3h1a1.8 1.8 0 1 0-1.8-1.9zM7 12.2h2v2.2H7z"
        default: phase.shape
        }
    }
}
