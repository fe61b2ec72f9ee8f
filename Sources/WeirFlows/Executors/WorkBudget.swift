/// A limit in wall-clock time for a piece of synchronous work.
///
/// The work checks the budget at intervals of at most a few milliseconds, and ends when it is exceeded.
package struct WorkBudget: Sendable {
    /// The work took longer than its budget.
    package struct Exceeded: Error {}

    private let end: ContinuousClock.Instant

    /// A budget that begins now.
    package init(_ duration: Duration) { end = .now + duration }

    package var isExceeded: Bool { ContinuousClock.now >= end }

    /// Throws if the budget is exceeded.
    package func check() throws(Exceeded) {
        if isExceeded { throw Exceeded() }
    }
}
