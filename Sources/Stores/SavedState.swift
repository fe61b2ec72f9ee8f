public import Foundation

/// Where a store's state outlives the process: the `SavedStateHandle` of *Redux for KMP*.
///
/// A store on a board needs none: there the journal is its saved state. Each commit is a recorded change, and a board that
/// opens puts the store in the state of its last change; one that no longer decodes stays in the journal, is logged, and
/// the store begins anew with a step `unreadable`. This protocol is for stores that live elsewhere, and keeps the same
/// promises: what is saved is the last committed state, and what cannot be read is set aside.
public protocol SavedState: Sendable {
    /// The bytes saved last; nil when there are none. Throws what the place throws.
    func load() throws -> Data?
    /// Keeps the bytes in place of those before. Called in the order of commits, never for two at a time.
    func save(_ bytes: Data) throws
    /// Puts bytes that could not be read aside, so that nothing is lost, and says where.
    func setAside(_ bytes: Data) throws -> String
}
