public import WeirJournals

/// What a store makes happen once, and how browsers show it; `Never` for a store without effects.
public protocol StoreEffect: Sendable {
    /// The effect as it is recorded, and as browsers make it happen.
    var presentation: RecordedEffect { get }
}

extension Never: StoreEffect {
    /// There is none.
    public var presentation: RecordedEffect { switch self {} }
}

/// An effect of a store, and its place: what a browser remembers to have seen.
package struct StoreEffectLine: Sendable, Hashable {
    /// The sequence of the change that caused it.
    package let sequence: SequenceNumber
    /// Its place among the effects of that change, from 0.
    package let index: Int
    /// When that was.
    package let at: Timestamp
    /// What happens.
    package let effect: RecordedEffect

    /// Creates a line.
    package init(sequence: SequenceNumber, index: Int, at: Timestamp, effect: RecordedEffect) {
        self.sequence = sequence
        self.index = index
        self.at = at
        self.effect = effect
    }
}
