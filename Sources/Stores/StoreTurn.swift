/// One thing a store does at a time.
struct StoreTurn<State: Sendable, Action: Sendable>: Sendable {
    enum Kind: Sendable {
        case action(Action)
        case rehydrate(State)
        case reset
    }

    let kind: Kind
    let cause: String?
    let ticket: (any StoreTicket)?
    let settlement: Settlement
}
