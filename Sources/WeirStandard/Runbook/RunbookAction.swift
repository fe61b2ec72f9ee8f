package import WeirBoards
package import WeirJournals
import WeirOperations
import WeirStates

/// The actions of a runbook, which the board signs with actor and time.
package enum RunbookAction: AttributedAction {
    case tick(step: String, signed: Signature? = nil)
    case untick(step: String, signed: Signature? = nil)
    case skip(step: String, reason: String, signed: Signature? = nil)
    /// Assigns the step to the actor.
    case take(step: String, signed: Signature? = nil)
    /// Assigns the step to a person, or removes the assignment.
    case assign(step: String, to: String? = nil, signed: Signature? = nil)
    case comment(step: String, text: String, signed: Signature? = nil)
    /// Notifies the actor when the step is done or skipped.
    case wait(step: String, signed: Signature? = nil)
    case stopWaiting(step: String, signed: Signature? = nil)
    /// Downloads the runbook as Markdown.
    case export(signed: Signature? = nil)

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
    /// Replaces every run of white space and control characters by one space.
    var onOneLine: String {
        unicodeScalars.split(whereSeparator: \.isBlank).map { String(String.UnicodeScalarView($0)) }.joined(
            separator: " ")
    }
}

extension Unicode.Scalar {
    /// Whether it is white space or a control character.
    var isBlank: Bool { properties.isWhitespace || properties.generalCategory == .control }
}

package enum RunbookEffect: StoreEffect, Equatable {
    /// A message to the named people, or to all viewers.
    case toast(String, to: [String]?)
    /// The runbook as a file, for the person who requested it.
    case download(filename: String, markdown: String, to: [String]?)

    package var presentation: RecordedEffect {
        switch self {
        case .toast(let message, let names): RecordedEffect(.toast(message: message), audience: names)
        case .download(let filename, let markdown, let names):
            RecordedEffect(
                .download(filename: filename, mediaType: "text/markdown; charset=utf-8", text: markdown),
                audience: names)
        }
    }
}

extension RunbookState: OfferingState {
    /// The actions on each step, by its id, and on the whole.
    package var offers: [ActionOffer] {
        sections.flatMap(\.steps).flatMap(\.offers) + [ActionOffer("export")]
    }
}

extension RunbookStep {
    fileprivate var offers: [ActionOffer] {
        let forms: [String]
        if mark == nil {
            let asked = waiting.isEmpty ? ["wait"] : ["wait", "stopWaiting"]
            forms = ["tick"] + (assignee == nil ? ["take"] : []) + asked + ["skip", "assign", "comment"]
        } else {
            forms = ["untick", "comment"]
        }
        return forms.map { ActionOffer($0, values: ["step": .string(id)], anchor: id, about: text) }
    }
}
