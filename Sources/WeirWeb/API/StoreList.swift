import Hummingbird
import WeirBoards
import WeirStates

/// The stores that can be acted on.
struct StoreList {
    let dashboard: AudienceDashboard

    func list() throws(Problem) -> Response {
        let epoch = dashboard.board.epoch
        return try .json(["stores": .array(dashboard.board.stores().map { .object($0.summary(epoch: epoch)) })])
    }

    /// A store as it stands, or with `at` as it stood after a change.
    func show(_ id: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let view: StoreView
        let moment = try exchange.target.query["at"].map(exchange.moment)
        do {
            view =
                if let moment {
                    try await dashboard.board.store(id, at: moment)
                } else {
                    try dashboard.board.store(id)
                }
        } catch {
            throw Problem(error)
        }
        return try .json(view.json(epoch: dashboard.board.epoch))
    }
}
