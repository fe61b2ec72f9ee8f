package import WeirStates

/// How many runs of an operation are in a phase.
package struct RunCount: Sendable, Hashable {
    /// The operation's id.
    package let operation: String
    /// The phase.
    package let phase: Phase
    /// The number of runs.
    package let count: Int

    /// Creates a count.
    package init(operation: String, phase: Phase, count: Int) {
        self.operation = operation
        self.phase = phase
        self.count = count
    }
}
