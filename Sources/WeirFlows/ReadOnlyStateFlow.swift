/// A read-only state flow: it cannot be cast back to the one that writes.
public struct ReadOnlyStateFlow<Value: Sendable>: StateFlow {
    @usableFromInline let storage: FlowStorage<Value>

    @inlinable
    init(_ storage: FlowStorage<Value>) {
        self.storage = storage
    }

    /// The current value.
    @inlinable
    public var value: Value { storage.value }

    /// The current value and all that follow.
    @inlinable
    public func values(_ policy: DeliveryPolicy) -> StateValues<Value> {
        StateValues(policy) { [storage] _ in storage }
    }
}
