package import WeirStates

/// Why a run was cancelled, in a phrase for the reader of its page.
public struct CancellationCause: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The phrase, such as `cancelled by operator`.
    public let description: String

    /// Creates a cause from a text.
    public init(_ description: String) { self.description = description }

    /// Creates a cause that pages show in every language.
    package init(_ cause: EndCause) { description = cause.description }

    /// Somebody cancelled it.
    package static func actor(_ name: String) -> CancellationCause { .init(EndCause.actor(name)) }
    /// A newer run of the same operation took its place.
    package static let replaced = CancellationCause(EndCause.replaced)
    /// It runs only while watched, and the last viewer left.
    package static let unwatched = CancellationCause(EndCause.unwatched)
    /// The scope it ran in was cancelled.
    package static let scope = CancellationCause(EndCause.scope)
    /// The task that ran it with structured concurrency was cancelled.
    package static let caller = CancellationCause(EndCause.caller)
    /// The work itself threw `CancellationError`, although nobody had cancelled it.
    package static let itself = CancellationCause(EndCause.itself)
    /// The server is shutting down.
    package static let shutdown = CancellationCause(EndCause.shutdown)
}
