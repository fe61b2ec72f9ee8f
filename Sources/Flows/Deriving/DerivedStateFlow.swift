/// A state flow whose value is made of others' values.
///
/// - Its ``value`` is always fresh: made when asked for, whether or not anybody subscribes.
/// - Nothing runs and nothing is kept while nobody subscribes. A subscriber's values are made on the threads that write.
/// - A value equal to the one before is no change, as for any state flow.
/// - Where two flows derived from one are combined again, both sides are always made of the same value.
/// - Lossless stays lossless: it sees what becomes of every state. Of several flows, in the order they were heard of.
/// - It ends when all it is made of have ended.
///
/// The transform may run more often than there are values, and must do nothing but make one.
public struct DerivedStateFlow<Value: Sendable>: StateFlow {
    let derivation: Derivation<Value>
    private let areEquivalent: @Sendable (Value, Value) -> Bool

    init(_ derivation: Derivation<Value>, areEquivalent: @escaping @Sendable (Value, Value) -> Bool) {
        self.derivation = derivation
        self.areEquivalent = areEquivalent
    }

    /// The value made of what the others are now.
    public var value: Value { derivation.value }

    /// The current value and all that follow.
    ///
    /// - Parameter policy: what happens to values that come faster than they are taken.
    /// - Returns: the values; each iteration watches the others on its own.
    public func values(_ policy: DeliveryPolicy) -> StateValues<Value> {
        StateValues(policy) { [derivation, areEquivalent] policy in
            derivation.relay(policy, areEquivalent: areEquivalent)
        }
    }
}
