import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

/// The list of the runs that match a filter.
struct RunsPage {
    let dashboard: AudienceDashboard

    func show(_ filter: RunFilter, _ exchange: Exchange) async throws(Problem) -> Response {
        // The head is read first: what happens in between is shown twice rather than not at all.
        let head = dashboard.board.feed.head(of: PageName.runs.topic.topic)
        let page: RunPage
        do { page = try await dashboard.board.answer(query(filter, exchange)) } catch { throw Problem(error) }
        var frame = exchange.frame(dashboard)
        frame.path = address(PageName.runs.path, filter)
        frame.views = await RunViews.views(in: exchange)
        let after = address("\(PageName.runs.path)/after/\(dashboard.board.epoch).\(head)", filter)
        let cursor = dashboard.pollResponder.answers.cursor(
            LivePage(.runs, exchange.locale), sequence: head, after: after)
        return try await .page(for: exchange) { [renderer = dashboard.renderer, frame] in
            renderer.runs(page, filter: filter, cursor: filter.isFirstPage ? cursor : nil, frame: frame)
        }
    }

    /// What a filter asks of the journal, with the names of operations in the reader's language.
    func query(_ filter: RunFilter, _ exchange: Exchange) -> RunQuery {
        var query = filter.query(now: Timestamp(milliseconds: dashboard.clock.wall))
        if query.text != nil { query.operationNames = dashboard.renderer.operationNames(exchange.locale) }
        return query
    }

    private func address(_ path: String, _ filter: RunFilter) -> String {
        dashboard.mount.url(path) + "?" + filter.query
    }
}
