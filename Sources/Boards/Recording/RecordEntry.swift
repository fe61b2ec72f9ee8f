import Journals
import States

/// A change that waits to be recorded; its revision is known when it is taken.
struct RecordEntry: Sendable {
    let stream: StreamID
    let at: Timestamp
    let state: StateRecord
    let isTransition: Bool
    let cause: String?
    let opening: RunOpening?
    let step: StoreStep?
}
