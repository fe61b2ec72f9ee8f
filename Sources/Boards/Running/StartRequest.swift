import Journals
import Operations
import States

/// What a run is to be started with; the input fits the operation's fields.
struct StartRequest: Sendable {
    let run: String
    let opening: RunOpening
    let content: (any FileContent)?
}
