package import WeirBoards
import WeirStates

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
