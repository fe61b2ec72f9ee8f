package import Foundation

/// A destination of uploads: it takes a file in parts and shows it completely or not at all.
package protocol UploadDestination: Sendable {
    /// The name by which people choose it: a short word, such as `archive`.
    var name: String { get }

    /// Begins to take a file of a given size, under a name that has been made safe.
    ///
    /// Suspends until the session is open. If it throws, `CancellationError` included, it has removed what it created.
    func open(filename: String, size: Int64) async throws -> any UploadSession

    /// Removes files of sessions that ended with their process.
    ///
    /// Called before the first upload.
    func removeLeftovers() async throws
}

/// One file on its way to a destination, until `close` or `abort`.
package protocol UploadSession: Sendable {
    /// Takes the next part, counted from 1. The parts come in order, one at a time.
    func part(_ number: Int, _ bytes: Data) async throws

    /// Completes the file under a name that no other file has, and returns where it is, in a phrase for people.
    ///
    /// Once it returns the file outlives a crash.
    func close() async throws -> String

    /// Removes everything the session created, even if called from a cancelled task.
    func abort() async
}
