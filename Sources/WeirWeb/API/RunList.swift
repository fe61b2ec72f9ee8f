import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

/// The runs there are and were.
struct RunList {
    let dashboard: AudienceDashboard

    func list(_ exchange: Exchange) async throws(Problem) -> Response {
        var query = try RunQuery(exchange.target.query)
        if query.text != nil { query.operationNames = dashboard.renderer.operationNames(exchange.locale) }
        // Runs may be reported of operations that nobody declared.
        if let id = query.operation, dashboard.board.catalog[id] == nil,
            dashboard.board.feed.head(of: .operation(id)) == 0
        {
            throw .unknownOperation(id)
        }
        let page: RunPage
        do { page = try await dashboard.board.answer(query) } catch { throw Problem(error) }
        return try .json([
            "runs": .array(page.runs.map(\.json)), "next": page.next.map { .integer($0.rawValue) } ?? .null,
            "beyond": page.next == nil
                ? .null : page.runs.last.map { .string(query.order.place(of: $0).description) } ?? .null,
        ])
    }

    /// A run as it stands, or with `at` as it stood after a change.
    func show(_ id: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let run: RunView
        let moment = try exchange.target.query["at"].map { text throws(Problem) in try exchange.moment(text) }
        do {
            run =
                if let moment {
                    try await dashboard.board.run(id, at: moment)
                } else {
                    try await dashboard.board.run(id)
                }
        } catch {
            throw Problem(error)
        }
        return try .json(run.record.json)
    }
}
