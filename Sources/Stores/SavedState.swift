public import Foundation

/// Where a store's state outlives the process: the `SavedStateHandle` of *Redux for KMP*.
public protocol SavedState: Sendable {
    /// The bytes saved last; nil when there are none. Throws what the place throws.
    func load() throws -> Data?
    /// Keeps the bytes in place of those before. Called in the order of commits, never for two at a time.
    func save(_ bytes: Data) throws
    /// Puts bytes that could not be read aside, so that nothing is lost, and says where.
    func setAside(_ bytes: Data) throws -> String
}
