import WeirFlows
package import WeirJournals
import WeirOperations
package import WeirStates
import WeirStores

/// A store without its types: what the board and the pages know of it.
package final class StoreEntry: Sendable {
    /// The id, as in URLs.
    package let id: String
    /// Under which name its templates and strings lie: its id, or one that several stores share.
    package let kind: String
    /// What a person calls it, in English.
    package let title: String
    /// What it is for, in a sentence, in English.
    package let summary: String
    /// The tags by which roles can be given.
    package let tags: Set<String>
    /// The actions that can be sent from outside, in the order in which pages show them.
    package let forms: [ActionForm]
    /// The state of a new store, and of one that is reset.
    package let initial: StateRecord
    /// One state at least of every case.
    ///
    /// A state that cannot be encoded is left out and told in `problems`.
    package let samples: [StateRecord]
    /// What is wrong with the store's own declarations, in sentences; empty when all is well.
    package let problems: [String]
    /// Puts it to work.
    let factory: any StoreFactory
    private let offer: @Sendable (StateRecord) -> [ActionOffer]?

    init<R: Reducer>(
        _ reducer: R, id: String, kind: String? = nil, title: String, summary: String, tags: Set<String> = []
    ) where R.State: RecordableState, R.Action: StoreAction, R.Effect: StoreEffect {
        let inspection = StoreInspection<R>(reducer, id: id)
        self.id = id
        self.kind = kind ?? id
        self.title = title
        self.summary = summary
        self.tags = tags
        forms = R.Action.forms
        initial = inspection.initial
        samples = inspection.samples
        problems = inspection.problems + Catalog.problems(with: tags, of: id)
        factory = ReducerFactory(reducer: reducer)
        offer = StoreInspection<R>.offers
    }

    /// The form with that name.
    package func form(_ name: String) -> ActionForm? { forms.first { $0.name == name } }

    /// Compares an action that was sent from outside with the forms.
    ///
    /// - Parameter action: A JSON object with the action's name as `type`, and its fields beside it.
    /// - Returns: The action with defaults filled in.
    /// - Throws: `unknownAction`, `invalidInput` with the mistakes of each field, and `overloaded` when too many inputs wait
    ///   to be checked.
    package func validate(_ action: JSONValue) async throws(BoardError) -> RecordedAction {
        guard let asked = RecordedAction(json: action) else {
            throw BoardError(.invalidInput, .unnamedAction)
        }
        guard let form = form(asked.name) else { throw .unknownAction(asked.name, of: self) }
        do {
            return RecordedAction(
                name: form.name,
                payload: try await InputField.validate(asked.payload, fields: form.fields, in: .inputs))
        } catch {
            throw .refusal(by: error)
        }
    }

    /// What can be done in a state: as the state says, or else every form.
    ///
    /// Nothing in a state that no longer decodes.
    package func offers(in state: StateRecord) -> [ActionOffer] {
        offer(state) ?? forms.map { ActionOffer($0.name) }
    }
}
