package import WeirJournals

/// What a live page shows.
package enum PageTopic: Sendable, Hashable {
    /// The overview.
    case board
    /// The newest runs of all operations.
    case runs
    /// One operation.
    case operation(String)
    /// One run.
    case run(String)
    /// All stores.
    case stores
    /// One store.
    case store(String)
    /// What one run prints: the part of its page that follows a feed of its own.
    case output(String)

    /// The topic whose changes the page follows.
    package var topic: Topic {
        switch self {
        case .board, .runs, .stores: .board
        case .operation(let id): .operation(id)
        case .run(let id): .run(id)
        case .store(let id): .store(id)
        case .output(let run): .output(run)
        }
    }
}
