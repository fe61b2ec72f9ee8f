/// Finds the addresses of a host by its name.
package protocol NameResolver: Sendable {
    /// The addresses in numbers, the best first.
    ///
    /// Suspends until an answer is here; returns at once with `CancellationError` when the task is cancelled. Throws
    /// ``HTTPFailure`` when there is no such name or nobody can be asked.
    func addresses(of host: String) async throws -> [String]
}
