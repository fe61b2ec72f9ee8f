/// Why a run was cancelled, in words for the person who reads its page.
public struct CancellationCause: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The words, such as `cancelled by operator`.
    public let description: String

    /// Makes a cause of words.
    public init(_ description: String) { self.description = description }

    /// Somebody asked for it.
    public static func actor(_ name: String) -> CancellationCause { .init("cancelled by \(name)") }
    /// A newer run of the same operation took its place.
    public static let replaced = CancellationCause("replaced by a newer run")
    /// It runs only while watched, and the last viewer left.
    public static let unwatched = CancellationCause("nobody was watching")
    /// The scope it ran in was cancelled.
    public static let scope = CancellationCause("its scope was cancelled")
    /// The task that ran it in a structured way was cancelled.
    public static let caller = CancellationCause("its caller was cancelled")
    /// The work itself threw `CancellationError`, though nobody had asked for it.
    public static let itself = CancellationCause("it cancelled itself")
    /// The server is shutting down.
    public static let shutdown = CancellationCause("the server is shutting down")
}
