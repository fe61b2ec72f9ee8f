import Foundation
package import WeirStates

/// The outcome of a run.
public enum RunOutcome: Sendable {
    /// The run succeeded.
    case succeeded
    /// The run failed with the given error.
    case failed(any Error)
    /// The run was cancelled.
    case cancelled(CancellationCause)
}

/// An operation set a failed state and returned without throwing.
struct OperationEndedInFailure<State: OperationState>: Error, CustomStringConvertible {
    let state: State

    var description: String { "It ended in the state \(state)." }
}

/// The reason why a run was cancelled, as a phrase for its page.
public struct CancellationCause: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The phrase, such as `cancelled by operator`.
    public let description: String

    /// Creates a cause with a phrase.
    public init(_ description: String) { self.description = description }

    /// Creates a cause that pages translate.
    package init(_ cause: EndCause) { description = cause.description }

    package static func actor(_ name: String) -> CancellationCause { .init(EndCause.actor(name)) }
    package static let replaced = CancellationCause(EndCause.replaced)
    /// The run lasts only while it is watched, and the last viewer left.
    package static let unwatched = CancellationCause(EndCause.unwatched)
    static let scope = CancellationCause(EndCause.scope)
    /// The task that called `run` was cancelled.
    static let caller = CancellationCause(EndCause.caller)
    /// The work threw `CancellationError` without a cancellation.
    package static let itself = CancellationCause(EndCause.itself)
    package static let shutdown = CancellationCause(EndCause.shutdown)
}

/// A programming error: `perform` returned in a state that is not an end state.
struct OperationLeftUnfinished: ExplainedError, Sendable, Hashable {
    let operation: String
    let state: String

    init(operation: String, state: String) {
        self.operation = operation
        self.state = String(state.prefix(200))
    }

    var description: String {
        "\(operation).perform returned in the state \(state), which is no end: set a state whose phase is succeeded or "
            + "failed before returning, or throw."
    }
}

package struct OperationTimeout: ExplainedError, Sendable, Hashable {
    let limit: Duration

    init(limit: Duration) { self.limit = limit }

    package var description: String {
        "It took longer than the \(limit.formatted(.units(allowed: [.hours, .minutes, .seconds, .milliseconds]))) it may. "
            + "Try again, or allow more time."
    }
}
