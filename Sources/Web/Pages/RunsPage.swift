import Boards
import Hummingbird
import Journals
import Pages
import States

/// The list of the runs that match a filter.
struct RunsPage {
    let dashboard: AudienceDashboard

    func show(_ filter: RunFilter, _ exchange: Exchange) async throws(Problem) -> Response {
        let page: RunPage
        do { page = try await dashboard.board.runs(filter.query()) } catch { throw Problem(error) }
        return .page(dashboard.renderer.runs(page, filter: filter, frame: exchange.frame(dashboard)), for: exchange)
    }
}
