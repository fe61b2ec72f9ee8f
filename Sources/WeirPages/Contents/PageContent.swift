package import WeirBoards
import WeirJournals

/// What a live page is rendered from, and all it is rendered from: the same content gives the same bytes, at any time.
package enum PageContent: Sendable {
    /// The overview.
    case board(BoardView)
    /// The newest runs.
    case runs(BoardView)
    /// One operation with its latest runs.
    case operation(OperationView)
    /// One run.
    case run(RunView)
    /// All stores.
    case stores(BoardView)
    /// One store.
    case store(StoreView)

    /// What the page shows.
    package var topic: PageTopic {
        switch self {
        case .board: .board
        case .runs: .runs
        case .operation(let view): .operation(view.id)
        case .run(let view): .run(view.record.id)
        case .stores: .stores
        case .store(let view): .store(view.id)
        }
    }

    /// Whether nothing will change on the page any more.
    package var isEnded: Bool {
        if case .run(let view) = self { return view.record.endedAt != nil }
        return false
    }

    /// The content of a page right after a change; nil if the change is not about what the page shows.
    package init?(_ publication: Publication, for topic: PageTopic) {
        switch topic {
        case .board: self = .board(publication.board)
        case .runs: self = .runs(publication.board)
        case .operation(let id):
            guard publication.change.subject == id, let view = publication.board.operation(id) else { return nil }
            self = .operation(view)
        case .run(let id):
            guard let run = publication.run, run.record.id == id else { return nil }
            self = .run(run)
        case .stores: self = .stores(publication.board)
        case .store(let id):
            guard let store = publication.store, store.id == id else { return nil }
            self = .store(store)
        case .output: return nil
        }
    }
}

/// What a run has printed, for its page, and where the page continues from there.
package struct PageOutput: Sendable {
    /// The newest lines.
    package let tail: OutputTail
    /// How far the page has come in the output's own feed; nil if nothing can follow.
    package let cursor: PageCursor?

    /// Creates an output from its parts.
    package init(tail: OutputTail, cursor: PageCursor?) {
        self.tail = tail
        self.cursor = cursor
    }
}
