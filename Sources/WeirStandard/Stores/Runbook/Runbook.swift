package import WeirStores

/// A checklist for a release or an incident, which several people can work through at once.
///
/// If two people tick or skip one step, the first counts, and the second receives a message. Everybody who waits for a
/// step receives a message when it is done or skipped, and everybody when no step is open any more. Pure: the actor and
/// the time come with the action.
package struct Runbook: Reducer {
    /// How many bytes all comments may have together: each change records all of them again.
    package static let commentLimit = 65_536

    /// The checklist from its file.
    package let initialState: RunbookState

    /// Creates the store of a checklist.
    package init(_ checklist: RunbookState) {
        initialState = checklist
    }

    /// Computes what an action makes of the checklist.
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
