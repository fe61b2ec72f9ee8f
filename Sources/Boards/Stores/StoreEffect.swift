public import Journals

/// What a store makes happen once, and how browsers show it; `Never` for a store without effects.
public protocol StoreEffect: Sendable {
    /// The effect as it is written down, and as browsers make it happen.
    var presentation: RecordedEffect { get }
}

extension Never: StoreEffect {
    /// There is none.
    public var presentation: RecordedEffect { switch self {} }
}
