public import Journals

/// An effect of a store, and its place: what a browser remembers to have seen.
public struct StoreEffectLine: Sendable, Hashable {
    /// The sequence of the change that brought it about.
    public let sequence: Int64
    /// Its place among the effects of that change, from 0.
    public let index: Int
    /// When that was.
    public let at: Timestamp
    /// What happens.
    public let effect: RecordedEffect

    /// Makes a line.
    public init(sequence: Int64, index: Int, at: Timestamp, effect: RecordedEffect) {
        self.sequence = sequence
        self.index = index
        self.at = at
        self.effect = effect
    }
}
