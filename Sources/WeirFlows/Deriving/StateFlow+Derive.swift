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
