import Journals
import States

/// Where a stream stands while changes are added to it within one transaction.
struct StreamState {
    /// The sequence of its first change, which is its number.
    let opened: Int64
    let subject: String
    /// The number of the operation's name; nil for a store.
    let operation: Int64?
    var revision: Int64
    var sequence: Int64
    var phase: Phase
    var ended: Timestamp?

    /// How the table has it; nil while it is new.
    var storedPhase: Phase?
    /// What a new run was started with, and when.
    var opening: RunOpening?
    var started: Timestamp?
    /// Which journal a new run came from, if it is imported.
    var epoch: String?
    /// Whether its text is in the index, which is then out of date.
    var isIndexed = false
}
