import WeirStores

extension RunbookState {
    /// The checklist with one step changed; the actor receives a message if there is no such step.
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

    /// The checklist with one open step done or skipped; a second actor receives a message with the first one's name.
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

    /// The checklist with one open step skipped, which requires a reason.
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
    /// The text as it is quoted in messages.
    var quoted: String { "“\(text.count > 80 ? text.prefix(79) + "…" : text[...])”" }

    /// Assigns it to a person, who receives a message unless they are the actor; to nobody without a name.
    mutating func assign(to name: String?, _ signed: Signature?) -> [RunbookEffect] {
        let name = name?.isEmpty == true ? nil : name
        guard assignee != name else { return [] }
        assignee = name
        guard let name, name != signed?.by else { return [] }
        return [.toast("\(signed?.by ?? "Somebody") asks you to do \(quoted).", to: [name])]
    }

    /// Registers a person who wants a message; if the step is no longer open, the message is sent at once.
    mutating func wait(_ signed: Signature?) -> [RunbookEffect] {
        guard let name = signed?.by else { return [] }
        if let mark { return [.toast("\(quoted) was \(mark.words) already.", to: [name])] }
        if !waiting.contains(name) { waiting.append(name) }
        return []
    }
}

extension RunbookMark {
    /// What was done, by whom and when, as a phrase for messages.
    fileprivate var words: String {
        let signature = signed.map { " by \($0.by) at \($0.at.clock.prefix(5)) UTC" } ?? ""
        return switch self {
        case .done: "done\(signature)"
        case .skipped(let reason, _): "skipped\(signature) (\(reason))"
        }
    }
}

extension Signature? {
    /// The recipients of an answer to the action: its actor, or everybody if it is not signed.
    var names: [String]? { map { [$0.by] } }
}
