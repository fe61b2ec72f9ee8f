package import WeirStores

/// A checklist for a release or an incident, for several people at once.
///
/// If two people tick or skip a step, the first one counts and the second receives a message. People who wait for a step are
/// notified when it is done or skipped, and all viewers when no step is open. Pure: the actor and the time are part of the
/// action.
package struct Runbook: Reducer {
    /// The maximum size of all comments together in bytes, because each change records all of them.
    static let commentLimit = 65_536

    /// The checklist from its file.
    package let initialState: RunbookState

    package init(_ checklist: RunbookState) {
        initialState = checklist
    }

    package func reduce(
        _ action: RunbookAction, _ state: RunbookState, _ dispatch: Dispatcher<RunbookAction>
    ) -> Reduced<RunbookState, RunbookEffect> {
        switch action {
        case .tick(let id, let signed):
            state.marking(id, .done(signed: signed), signed)
        case .skip(let id, let reason, let signed):
            state.skipping(id, reason.onOneLine, signed)
        case .untick(let id, let signed):
            state.changing(id, signed) { step in
                guard step.mark != nil else { return [.toast("\(step.quoted) is already open.", to: signed.names)] }
                step.mark = nil
                return []
            }
        case .take(let id, let signed):
            state.changing(id, signed) { step in step.assign(to: signed?.by, signed) }
        case .assign(let id, let name, let signed):
            state.changing(id, signed) { step in step.assign(to: name?.onOneLine, signed) }
        case .comment(let id, let text, let signed):
            state.changing(id, signed) { step in
                let text = text.onOneLine
                guard !text.isEmpty else { return [.toast("The comment was empty.", to: signed.names)] }
                guard state.commentBytes + text.utf8.count <= Self.commentLimit else {
                    return [.toast("The checklist holds no more comments. Begin another one.", to: signed.names)]
                }
                step.comments.append(RunbookComment(text, signed: signed))
                return []
            }
        case .wait(let id, let signed):
            state.changing(id, signed) { step in step.wait(signed) }
        case .stopWaiting(let id, let signed):
            state.changing(id, signed) { step in
                step.waiting.removeAll { $0 == signed?.by }
                return []
            }
        case .export(let signed):
            Reduced(
                state,
                .download(
                    filename: String(naming: state.title, orElse: "runbook") + ".md", markdown: state.markdown,
                    to: signed.names))
        }
    }
}

extension RunbookState {
    /// Changes one step; the actor receives a message if it does not exist.
    func changing(
        _ id: String, _ signed: Signature?, _ change: (inout RunbookStep) -> [RunbookEffect]
    ) -> Reduced<RunbookState, RunbookEffect> {
        guard var step = self[id] else {
            return Reduced(self, .toast("The step “\(id.prefix(40))” no longer exists.", to: signed.names))
        }
        let effects = change(&step)
        var state = self
        state[id] = step
        return Reduced(state, effects: effects)
    }

    /// Marks an open step; if it is marked already, the actor receives a message with the first one's name.
    func marking(_ id: String, _ mark: RunbookMark, _ signed: Signature?) -> Reduced<RunbookState, RunbookEffect> {
        let changed = changing(id, signed) { step in
            if let first = step.mark {
                return [.toast("\(step.quoted) was \(first.words) already.", to: signed.names)]
            }
            step.mark = mark
            let waiting = step.waiting.filter { $0 != signed?.by }
            step.waiting = []
            return waiting.isEmpty ? [] : [.toast("\(step.quoted) was \(mark.words).", to: waiting)]
        }
        guard !isFinished, changed.state.isFinished else { return changed }
        return Reduced(changed.state, effects: changed.effects + [.toast(changed.state.closingWords, to: nil)])
    }

    /// Skips an open step, which requires a reason.
    func skipping(_ id: String, _ reason: String, _ signed: Signature?) -> Reduced<RunbookState, RunbookEffect> {
        guard !reason.isEmpty else {
            return changing(id, signed) { [.toast("Say why \($0.quoted) is skipped.", to: signed.names)] }
        }
        return marking(id, .skipped(reason: reason, signed: signed), signed)
    }

    private var closingWords: String {
        let steps = steps
        let done = steps.count { if case .done = $0.mark { true } else { false } }
        if done == steps.count { return "\(title): all \(steps.count) steps are done." }
        return "\(title): no steps are open; \(done) of \(steps.count) are done, the others were skipped."
    }
}

extension RunbookStep {
    /// The text as quoted in messages.
    var quoted: String { "“\(text.count > 80 ? text.prefix(79) + "…" : text[...])”" }

    /// Assigns the step and notifies the person unless they are the actor; nil removes the assignment.
    mutating func assign(to name: String?, _ signed: Signature?) -> [RunbookEffect] {
        let name = name?.isEmpty == true ? nil : name
        guard assignee != name else { return [] }
        assignee = name
        guard let name, name != signed?.by else { return [] }
        return [.toast("\(signed?.by ?? "Somebody") asks you to do \(quoted).", to: [name])]
    }

    /// Registers the actor for a notification, which is sent immediately if the step is not open.
    mutating func wait(_ signed: Signature?) -> [RunbookEffect] {
        guard let name = signed?.by else { return [] }
        if let mark { return [.toast("\(quoted) was \(mark.words) already.", to: [name])] }
        if !waiting.contains(name) { waiting.append(name) }
        return []
    }
}

extension RunbookMark {
    /// The mark with its signature, as a phrase for messages.
    fileprivate var words: String {
        let signature = signed.map { " by \($0.by) at \($0.at.clock.prefix(5)) UTC" } ?? ""
        return switch self {
        case .done: "done\(signature)"
        case .skipped(let reason, _): "skipped\(signature) (\(reason))"
        }
    }
}

extension Signature? {
    /// The recipients of a response to the action: its actor, or everyone if it is unsigned.
    var names: [String]? { map { [$0.by] } }
}
