import WeirJournals
import WeirStates

/// A store at work on a board, without its types.
protocol LiveStore: Sendable {
    /// Sends an action whose name is a form's and whose payload fits the form's fields.
    func dispatch(_ action: RecordedAction, _ command: StoreCommand) throws(BoardError)
    /// A state that somebody gave in Swift's `Codable` form, as it would be recorded.
    func record(of state: JSONValue) throws(BoardError) -> StateRecord
    /// Puts a state in, as it was or would be recorded.
    func restore(_ state: StateRecord, _ command: StoreCommand) throws(BoardError)
    /// Puts the initial state back.
    func reset(_ command: StoreCommand) throws(BoardError)
    /// One of its changes was recorded.
    func recorded(_ change: Change)
    /// Ends its work.
    func stop()
}
