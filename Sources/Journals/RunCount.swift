public import States

/// How many runs of an operation are in a phase.
public struct RunCount: Sendable, Hashable {
    /// The operation's id.
    public let operation: String
    /// The phase.
    public let phase: Phase
    /// How many.
    public let count: Int

    /// Makes a count.
    public init(operation: String, phase: Phase, count: Int) {
        self.operation = operation
        self.phase = phase
        self.count = count
    }
}
