/// A state flow as its readers see it: there is no way back to the one that writes.
public struct ReadOnlyStateFlow<Value: Sendable>: StateFlow {
    let storage: FlowStorage<Value>

    init(_ storage: FlowStorage<Value>) {
        self.storage = storage
    }

    /// The current value.
    public var value: Value { storage.value }

    /// The current value and all that follow.
    public func values(_ policy: DeliveryPolicy) -> StateValues<Value> {
        StateValues(policy) { [storage] _ in storage }
    }
}
