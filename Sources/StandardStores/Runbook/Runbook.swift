public import Stores

/// A checklist for a release or an incident, which several people work through at once.
///
/// Of two who tick or skip one step, the first stands, and the second is told. Whoever waits for a step is told when it
/// is done or skipped, and everybody when no step is open any more. Pure: who acts and when comes in the action.
public struct Runbook: Reducer {
    /// The checklist as its file has it.
    public let initialState: RunbookState

    /// Makes the store of a checklist.
    public init(_ checklist: RunbookState) {
        initialState = checklist
    }

    /// Tells what an action makes of the checklist.
    public func reduce(
        _ action: RunbookAction, _ state: RunbookState, _ dispatch: Dispatch<RunbookAction>
    ) -> Reduced<RunbookState, RunbookEffect> {
        switch action {
        case .tick(let id, let signed):
            state.marking(id, .done(signed: signed), signed)
        case .skip(let id, let reason, let signed):
            state.skipping(id, reason.onOneLine, signed)
        case .untick(let id, let signed):
            state.changing(id, signed) { step in
                guard step.mark != nil else { return [.toast("\(step.quoted) is open already.", to: signed.names)] }
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
