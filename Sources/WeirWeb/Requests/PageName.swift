import WeirPages

/// A page that is followed live, as its URL names it.
enum PageName: Hashable, Sendable {
    case overview
    case runs
    case operation(String)
    case run(String)
    case stores
    case store(String)

    /// The page that shows a topic.
    init(_ topic: PageTopic) {
        switch topic {
        case .board: self = .overview
        case .runs: self = .runs
        case .operation(let id): self = .operation(id)
        case .run(let id), .output(let id): self = .run(id)
        case .stores: self = .stores
        case .store(let id): self = .store(id)
        }
    }

    /// The path below the mount path.
    var path: String {
        switch self {
        case .overview: ""
        case .runs: "runs"
        case .operation(let id): "operations/" + id
        case .run(let id): "runs/" + id
        case .stores: "stores"
        case .store(let id): "stores/" + id
        }
    }

    /// What it shows.
    var topic: PageTopic {
        switch self {
        case .overview: .board
        case .runs: .runs
        case .operation(let id): .operation(id)
        case .run(let id): .run(id)
        case .stores: .stores
        case .store(let id): .store(id)
        }
    }
}
