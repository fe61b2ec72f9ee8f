/// The result of reducing an action: the next state, and the effects that happen once.
public struct Reduced<State: Sendable, Effect: Sendable>: Sendable {
    /// The state after the action.
    public let state: State
    /// The effects of the action, in order.
    public let effects: [Effect]

    /// Creates a result.
    public init(_ state: State, effects: [Effect] = []) {
        self.state = state
        self.effects = effects
    }

    /// Creates a result with effects.
    public init(_ state: State, _ effects: Effect...) {
        self.init(state, effects: effects)
    }
}
