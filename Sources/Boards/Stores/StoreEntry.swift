public import States
import Stores

/// A store without its types: what the board and the pages know of it.
public final class StoreEntry: Sendable {
    /// The id, as in URLs.
    public let id: String
    /// Under which name its templates and strings lie: its id, or one that several stores share.
    public let kind: String
    /// What a person calls it, in English.
    public let title: String
    /// What it is for, in a sentence, in English.
    public let summary: String
    /// The actions that can be sent from outside, in the order in which pages show them.
    public let forms: [ActionForm]
    /// The state of a new store, and of one that is reset.
    public let initial: StateRecord
    /// One state at least of every case.
    ///
    /// A state that cannot be encoded is left out and told in `problems`.
    public let samples: [StateRecord]
    /// What is wrong with the store's own declarations, in sentences; empty when all is well.
    public let problems: [String]
    private let offer: @Sendable (StateRecord) -> [ActionOffer]?

    init<R: Reducer>(
        _ reducer: R, id: String, kind: String? = nil, title: String, summary: String
    ) where R.State: RecordableState, R.Action: StoreAction, R.Effect: StoreEffect {
        let inspection = StoreInspection<R>(reducer, id: id)
        self.id = id
        self.kind = kind ?? id
        self.title = title
        self.summary = summary
        forms = R.Action.forms
        initial = inspection.initial
        samples = inspection.samples
        problems = inspection.problems
        offer = StoreInspection<R>.offers
    }

    /// The form of that name.
    public func form(_ name: String) -> ActionForm? { forms.first { $0.name == name } }

    /// What can be done in a state: as the state says, or else every form.
    ///
    /// Nothing in a state that no longer decodes.
    public func offers(in state: StateRecord) -> [ActionOffer] {
        offer(state) ?? forms.map { ActionOffer($0.name) }
    }
}
