/// One step of a store, as whoever records it sees it.
public struct StoreCommit<State: Sendable, Action: Sendable, Effect: Sendable>: Sendable {
    /// What brought a state about.
    public enum Origin: Sendable {
        /// An action.
        case action(Action)
        /// A state put in from outside.
        case rehydrated
        /// The initial state put back.
        case reset
    }

    /// What brought the state about.
    public let origin: Origin
    /// Who or what was behind it, as its sender said.
    public let cause: String?
    /// The state after.
    public let state: State
    /// The effects, in order.
    public let effects: [Effect]
    /// Its place among the store's steps, from 1; the initial state is 0.
    public let revision: Int64
    /// What its sender let it carry.
    package let ticket: (any StoreTicket)?
}
