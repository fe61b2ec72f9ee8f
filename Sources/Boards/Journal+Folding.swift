import Journals

extension Journal {
    /// A run as it stood after its last change at or before a sequence; nil when it had not begun or is not kept.
    func view(of run: String, through sequence: Int64?) async throws -> RunView? {
        let page = 1_000
        var view: RunView?
        var after: Int64 = 0
        while true {
            let changes = try await changes(of: .run(run), after: after, through: sequence, limit: page)
            for change in changes { view = view?.applying(change) ?? RunView(opening: change) }
            guard changes.count == page, let last = changes.last else { return view }
            after = last.sequence
        }
    }
}
