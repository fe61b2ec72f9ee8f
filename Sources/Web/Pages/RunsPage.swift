import Boards
import Hummingbird
import Journals
import Pages
import States

/// The list of the runs that match a query.
struct RunsPage {
    let dashboard: Dashboard

    func show(_ query: RunQuery, _ exchange: Exchange) async throws(Problem) -> Response {
        let page: RunPage
        do { page = try await dashboard.board.runs(query) } catch { throw Problem(error) }
        return .page(dashboard.renderer.runs(page, query: query, frame: exchange.frame(dashboard)))
    }
}
