public import Foundation

/// The bytes of a file as they arrive, in pieces of a size that fits memory.
public protocol FileContent: Sendable {
    /// The next piece, or nil at the end.
    ///
    /// Suspends until bytes arrive, and thereby holds the sender back. Throws when the sender stopped half way or sent
    /// something malformed, and `CancellationError` when the task is cancelled. One reader only.
    func next() async throws -> Data?
}
