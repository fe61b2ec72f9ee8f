/// What can be done to a store, as people and programs do it: an enum, and the forms of the cases they may send.
///
/// Its `Codable` form is Swift's own for enums: `.tick(step: 3)` is `{"tick":{"step":3}}`. Pages and the API write it
/// `{"type":"tick","step":3}`. Cases without a form are the store's own: only its work can send them.
public protocol StoreAction: Codable, Equatable, Sendable {
    /// The forms of the cases that can be sent from outside, in the order in which pages show them.
    static var forms: [ActionForm] { get }
}
