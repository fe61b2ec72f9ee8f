/// What a reducer makes of an action: the state after it, and the effects that happen once.
public struct Reduced<State: Sendable, Effect: Sendable>: Sendable {
    /// The state after the action.
    public let state: State
    /// What happens once because of it, in order.
    public let effects: [Effect]

    /// Makes a result.
    public init(_ state: State, effects: [Effect] = []) {
        self.state = state
        self.effects = effects
    }

    /// Makes a result with effects.
    public init(_ state: State, _ effects: Effect...) {
        self.init(state, effects: effects)
    }
}
