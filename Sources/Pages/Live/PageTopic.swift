public import Journals

/// What a live page shows.
public enum PageTopic: Sendable, Hashable {
    /// The overview.
    case board
    /// The newest runs of all operations.
    case runs
    /// One operation.
    case operation(String)
    /// One run.
    case run(String)

    /// The topic whose changes the page follows.
    public var topic: Topic {
        switch self {
        case .board, .runs: .board
        case .operation(let id): .operation(id)
        case .run(let id): .run(id)
        }
    }
}
