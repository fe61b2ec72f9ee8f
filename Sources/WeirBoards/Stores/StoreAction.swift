public import WeirJournals

/// What can be done to a store, as people and programs do it: an enum, and the forms of the cases they may send.
///
/// Its `Codable` form is Swift's own for enums: `.tick(step: 3)` is `{"tick":{"step":3}}`. Pages and the API write it
/// `{"type":"tick","step":3}`. Cases without a form are the store's own: only its work can send them.
public protocol StoreAction: Codable, Equatable, Sendable {
    /// The forms of the cases that can be sent from outside, in the order in which pages show them.
    static var forms: [ActionForm] { get }
}

/// An action that wants to know who takes it, and when: so that the reducer, which may look at no clock, can say so.
///
/// The board fills both in before it dispatches what was sent from outside; what the store's own work sends is left as it
/// is. The fields filled in have no place in the form, and a value already when the form is decoded: make them optional.
public protocol AttributedAction: StoreAction {
    /// The action as taken by somebody at a moment.
    func acted(by actor: String, at time: Timestamp) -> Self
}
