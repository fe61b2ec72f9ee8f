extension StateFlow {
    /// The flow of what a transform makes of each value.
    ///
    /// - Parameters:
    ///   - transform: makes a value, and does nothing else.
    ///   - areEquivalent: whether a new value is no change.
    /// - Returns: a flow whose value is always fresh.
    public func mapState<Derived>(
        _ transform: @escaping @Sendable (Value) -> Derived,
        areEquivalent: @escaping @Sendable (Derived, Derived) -> Bool
    ) -> DerivedStateFlow<Derived> {
        DerivedStateFlow(derivation.map(transform), areEquivalent: areEquivalent)
    }

    /// The flow of what a transform makes of each value, compared by `==`.
    ///
    /// - Parameter transform: makes a value, and does nothing else.
    /// - Returns: a flow whose value is always fresh.
    public func mapState<Derived: Equatable>(
        _ transform: @escaping @Sendable (Value) -> Derived
    ) -> DerivedStateFlow<Derived> {
        mapState(transform, areEquivalent: ==)
    }

    /// The flow of what a transform makes of this flow's value and another's.
    ///
    /// - Parameters:
    ///   - other: the other flow; it may be derived from the same one as this.
    ///   - transform: makes a value, and does nothing else.
    ///   - areEquivalent: whether a new value is no change.
    /// - Returns: a flow whose value is always fresh.
    public func combineState<Other: StateFlow, Derived>(
        _ other: Other, _ transform: @escaping @Sendable (Value, Other.Value) -> Derived,
        areEquivalent: @escaping @Sendable (Derived, Derived) -> Bool
    ) -> DerivedStateFlow<Derived> {
        DerivedStateFlow(derivation.combine(other.derivation, transform), areEquivalent: areEquivalent)
    }

    /// The flow of what a transform makes of this flow's value and another's, compared by `==`.
    ///
    /// - Parameters:
    ///   - other: the other flow; it may be derived from the same one as this.
    ///   - transform: makes a value, and does nothing else.
    /// - Returns: a flow whose value is always fresh.
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
        default: Derivation(StrangeRoot(self))
        }
    }
}
