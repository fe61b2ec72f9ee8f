public import Boards
public import Journals
import Operations

/// What people do with a runbook.
///
/// The board signs each action with who takes it, and when.
public enum RunbookAction: ActedAction {
    /// The step is done.
    case tick(step: String, signed: Signature? = nil)
    /// The step is open again.
    case untick(step: String, signed: Signature? = nil)
    /// The step is not to be done.
    case skip(step: String, reason: String, signed: Signature? = nil)
    /// Whoever acts is to do the step.
    case take(step: String, signed: Signature? = nil)
    /// Somebody is to do the step; nobody, when there is no name.
    case assign(step: String, to: String? = nil, signed: Signature? = nil)
    /// Something to say about the step.
    case comment(step: String, text: String, signed: Signature? = nil)
    /// Whoever acts wants to be told when the step is done or skipped.
    case wait(step: String, signed: Signature? = nil)
    /// Whoever acts does not want to be told any more.
    case stopWaiting(step: String, signed: Signature? = nil)
    /// Whoever acts wants the runbook as a Markdown file.
    case export(signed: Signature? = nil)

    /// The action signed.
    public func acted(by actor: String, at time: Timestamp) -> RunbookAction {
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

    /// What can be sent, each for the step of the name that it carries.
    public static var forms: [ActionForm] {
        let step = InputField("step", "Step", .text(maximumLength: 100), required: true)
        return [
            ActionForm("tick", "Tick", fields: [step]),
            ActionForm("untick", "Open again", fields: [step]),
            ActionForm("take", "I’ll do it", fields: [step]),
            ActionForm("wait", "Tell me when done", fields: [step]),
            ActionForm("stopWaiting", "Don’t tell me", fields: [step]),
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
    /// The same with every run of white space and control characters made one space: what one line of a file can hold.
    var onOneLine: String {
        unicodeScalars.split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
            .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
    }
}
