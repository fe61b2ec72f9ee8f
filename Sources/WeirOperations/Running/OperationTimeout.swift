import Foundation
import WeirStates

/// A run took longer than its operation allows.
package struct OperationTimeout: ExplainedError, Sendable, Hashable {
    /// What was allowed.
    package let limit: Duration

    /// Creates an error.
    package init(limit: Duration) { self.limit = limit }

    /// What happened, in a sentence.
    package var description: String {
        "It took longer than the \(limit.formatted(.units(allowed: [.hours, .minutes, .seconds, .milliseconds]))) it may. "
            + "Try again, or allow more time."
    }
}
