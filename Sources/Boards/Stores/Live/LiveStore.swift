import Journals
import States

/// A store at work on a board, without its types.
protocol LiveStore: Sendable {
    /// Sends an action whose name is a form's and whose payload fits the form's fields.
    func dispatch(_ action: RecordedAction, _ command: StoreCommand) throws(BoardError)
    /// Puts a state in that somebody gave in Swift's `Codable` form.
    func rehydrate(_ state: JSONValue, _ command: StoreCommand) throws(BoardError)
    /// Puts a recorded state back.
    func restore(_ state: StateRecord, _ command: StoreCommand) throws(BoardError)
    /// Puts the initial state back.
    func reset(_ command: StoreCommand) throws(BoardError)
    /// One of its changes was recorded.
    func recorded(_ change: Change)
    /// Ends its work.
    func stop()
}
