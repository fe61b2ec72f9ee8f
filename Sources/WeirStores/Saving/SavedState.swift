public import Foundation

/// A place where a store's state survives the process: the `SavedStateHandle` of *Redux for KMP*.
///
/// A store on a board does not need one, because the journal is its saved state. Each commit is a recorded change, and
/// a board that opens restores the state of the store's last change. If that state no longer decodes, it stays in the
/// journal, the log reports it, and the store starts again with a step `unreadable`. This protocol is for stores
/// elsewhere and keeps the same promises: the saved state is the last committed one, and a state that cannot be read is
/// set aside.
public protocol SavedState: Sendable {
    /// The bytes saved last; nil if there are none.
    ///
    /// Throws the errors of the place.
    func load() throws -> Data?
    /// Replaces the saved bytes.
    ///
    /// Called in the order of commits, never twice at a time.
    func save(_ bytes: Data) throws
    /// Sets aside bytes that could not be read, so that nothing is lost, and returns where they are.
    func setAside(_ bytes: Data) throws -> String
}
