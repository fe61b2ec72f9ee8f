public import Journals

/// An action that wants to know who takes it, and when: so that the reducer, which may look at no clock, can say so.
///
/// The board fills both in before it dispatches what was sent from outside; what the store's own work sends is left as it
/// is. The fields filled in have no place in the form, and a value already when the form is decoded: make them optional.
public protocol ActedAction: StoreAction {
    /// The action as taken by somebody at a moment.
    func acted(by actor: String, at time: Timestamp) -> Self
}
