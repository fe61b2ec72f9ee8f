package import WeirBoards
package import WeirJournals
import WeirOperations

/// What people do with a runbook.
///
/// The board signs each action with its actor and time.
package enum RunbookAction: AttributedAction {
    /// The step is done.
    case tick(step: String, signed: Signature? = nil)
    /// The step is open again.
    case untick(step: String, signed: Signature? = nil)
    /// The step is skipped.
    case skip(step: String, reason: String, signed: Signature? = nil)
    /// The actor will do the step.
    case take(step: String, signed: Signature? = nil)
    /// A person will do the step; without a name, nobody.
    case assign(step: String, to: String? = nil, signed: Signature? = nil)
    /// A comment on the step.
    case comment(step: String, text: String, signed: Signature? = nil)
    /// The actor wants a message when the step is done or skipped.
    case wait(step: String, signed: Signature? = nil)
    /// The actor no longer wants a message.
    case stopWaiting(step: String, signed: Signature? = nil)
    /// The actor wants the runbook as a Markdown file.
    case export(signed: Signature? = nil)

    /// The action signed.
    package func acted(by actor: String, at time: Timestamp) -> RunbookAction {
        let signed = Signature(by: actor.onOneLine, at: time)
        return switch self {
        case .tick(let step, _): .tick(step: step, signed: signed)
        case .untick(let step, _): .untick(step: step, signed: signed)
        case .skip(let step, let reason, _): .skip(step: step, reason: reason, signed: signed)
        case .take(let step, _): .take(step: step, signed: signed)
        case .assign(let step, let name, _): .assign(step: step, to: name, signed: signed)
        case .comment(let step, let text, _): .comment(step: step, text: text, signed: signed)
        case .wait(let step, _): .wait(step: step, signed: signed)
        case .stopWaiting(let step, _): .stopWaiting(step: step, signed: signed)
        case .export: .export(signed: signed)
        }
    }

    /// The actions that can be sent, each with the id of its step.
    package static var forms: [ActionForm] {
        let step = InputField("step", "Step", .text(maximumLength: 100), required: true)
        return [
            ActionForm("tick", "Tick", fields: [step]),
            ActionForm("untick", "Open again", fields: [step]),
            ActionForm("take", "I’ll do it", fields: [step]),
            ActionForm("wait", "Notify me when done", fields: [step]),
            ActionForm("stopWaiting", "Don’t notify me", fields: [step]),
            ActionForm(
                "skip", "Skip",
                fields: [step, InputField("reason", "Reason", .text(maximumLength: 500), required: true)]),
            ActionForm(
                "assign", "Assign",
                fields: [
                    step,
                    InputField("to", "Name", .text(maximumLength: 100), help: "Leave it empty to assign it to nobody."),
                ]),
            ActionForm(
                "comment", "Comment",
                fields: [step, InputField("text", "Comment", .text(maximumLength: 1_000), required: true)]),
            ActionForm("export", "Export as Markdown"),
        ]
    }
}

extension String {
    /// The same with every run of white space and control characters reduced to one space, so that it fits on one line
    /// of a file.
    var onOneLine: String {
        unicodeScalars.split(whereSeparator: \.isBlank).map { String(String.UnicodeScalarView($0)) }.joined(
            separator: " ")
    }
}

extension Unicode.Scalar {
    /// Whether it is white space, or a control character, which must not be on a line.
    var isBlank: Bool { properties.isWhitespace || properties.generalCategory == .control }
}
