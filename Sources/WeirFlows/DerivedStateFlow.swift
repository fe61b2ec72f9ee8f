/// A state flow whose value is derived from the values of other flows.
///
/// - Its ``value`` is always current: it is computed when requested, with or without subscribers.
/// - Without subscribers, nothing runs and nothing is kept. A subscriber's values are computed on the threads that
///   write.
/// - A value equal to the previous one is not a change, as for any state flow.
/// - Where two flows derived from one flow are combined again, both sides always derive from the same value.
/// - A lossless subscriber sees the derived value of every state; with several flows, in the order in which their
///   changes arrive.
/// - It ends when all the flows it derives from have ended.
///
/// The transform may run more often than there are values, and must have no side effects.
public struct DerivedStateFlow<Value: Sendable>: StateFlow {
    let derivation: Derivation<Value>
    private let areEquivalent: @Sendable (Value, Value) -> Bool

    init(_ derivation: Derivation<Value>, areEquivalent: @escaping @Sendable (Value, Value) -> Bool) {
        self.derivation = derivation
        self.areEquivalent = areEquivalent
    }

    /// The value derived from the current values of the other flows.
    public var value: Value { derivation.value }

    /// The current value and all that follow.
    ///
    /// - Parameter policy: what happens to values that arrive faster than they are taken.
    /// - Returns: the values; each iteration observes the other flows separately.
    public func values(_ policy: DeliveryPolicy) -> StateValues<Value> {
        StateValues(policy) { [derivation, areEquivalent] policy in
            derivation.relay(policy, areEquivalent: areEquivalent)
        }
    }
}

extension StateFlow {
    /// Derives a flow by transforming each value.
    ///
    /// - Parameters:
    ///   - transform: computes a value, without side effects.
    ///   - areEquivalent: whether a new value is not a change.
    /// - Returns: a flow whose value is always current.
    public func mapState<Derived>(
        _ transform: @escaping @Sendable (Value) -> Derived,
        areEquivalent: @escaping @Sendable (Derived, Derived) -> Bool
    ) -> DerivedStateFlow<Derived> {
        DerivedStateFlow(derivation.map(transform), areEquivalent: areEquivalent)
    }

    /// Derives a flow by transforming each value, compared by `==`.
    ///
    /// - Parameter transform: computes a value, without side effects.
    /// - Returns: a flow whose value is always current.
    public func mapState<Derived: Equatable>(
        _ transform: @escaping @Sendable (Value) -> Derived
    ) -> DerivedStateFlow<Derived> {
        mapState(transform, areEquivalent: ==)
    }

    /// Derives a flow from the values of this flow and another.
    ///
    /// - Parameters:
    ///   - other: the other flow; it may derive from the same flow as this one.
    ///   - transform: computes a value, without side effects.
    ///   - areEquivalent: whether a new value is not a change.
    /// - Returns: a flow whose value is always current.
    public func combineState<Other: StateFlow, Derived>(
        _ other: Other, _ transform: @escaping @Sendable (Value, Other.Value) -> Derived,
        areEquivalent: @escaping @Sendable (Derived, Derived) -> Bool
    ) -> DerivedStateFlow<Derived> {
        DerivedStateFlow(derivation.combine(other.derivation, transform), areEquivalent: areEquivalent)
    }

    /// Derives a flow from the values of this flow and another, compared by `==`.
    ///
    /// - Parameters:
    ///   - other: the other flow; it may derive from the same flow as this one.
    ///   - transform: computes a value, without side effects.
    /// - Returns: a flow whose value is always current.
    public func combineState<Other: StateFlow, Derived: Equatable>(
        _ other: Other, _ transform: @escaping @Sendable (Value, Other.Value) -> Derived
    ) -> DerivedStateFlow<Derived> {
        combineState(other, transform, areEquivalent: ==)
    }

    private var derivation: Derivation<Value> {
        switch self {
        case let flow as DerivedStateFlow<Value>: flow.derivation
        case let flow as MutableStateFlow<Value>: Derivation(flow.storage)
        case let flow as ReadOnlyStateFlow<Value>: Derivation(flow.storage)
        default: Derivation(ForeignRoot(self))
        }
    }
}
