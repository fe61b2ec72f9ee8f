public import Foundation

/// Where uploads go: something that takes a file in parts and shows it whole or not at all.
public protocol UploadDestination: Sendable {
    /// What people choose it by: a short word, such as `archive`.
    var name: String { get }

    /// Begins to take a file of so many bytes under a name that has been made safe.
    ///
    /// Suspends until the session stands. What it made before it throws, `CancellationError` included, it removes itself.
    func open(filename: String, size: Int64) async throws -> any UploadSession

    /// Removes what sessions left behind that a process did not live to end. Called before the first upload.
    func removeLeftovers() async throws
}

/// One file on its way to a destination, until `close` or `abort`.
public protocol UploadSession: Sendable {
    /// Takes the next part, counted from 1. The parts come in order, one at a time.
    func part(_ number: Int, _ bytes: Data) async throws

    /// Makes the file whole under a name that no other file has, and tells where it lies, in words for a person.
    ///
    /// Once it returns the file outlives a crash.
    func close() async throws -> String

    /// Removes all the session made. Does so also when called from a task that was cancelled.
    func abort() async
}
