import Boards
import HTTPTypes
import Hummingbird
import Journals
import Pages
import States

/// The pages that are followed live, as whole documents.
struct LivePages {
    let dashboard: Dashboard

    /// The page as it stands.
    func show(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response {
        let filter = RunFilter(parameters: exchange.target.query.dictionary)
        if name == .runs, !filter.isEmpty {
            return try await RunsPage(dashboard: dashboard).show(filter, exchange)
        }
        return .page(try await document(name, exchange, draft: nil))
    }

    /// The page with its start form filled in as it was sent, and what is wrong with it.
    func show(_ name: PageName, draft: FormDraft, _ exchange: Exchange) async throws(Problem) -> Response {
        .page(try await document(name, exchange, draft: draft), status: .unprocessableContent)
    }

    /// The page after the next change, or after 13 seconds: what a browser without JavaScript asks again and again.
    func showNext(_ name: PageName, after cursor: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let cursor = FeedCursor(cursor) else { throw .malformedPath }
        if cursor.epoch == dashboard.board.epoch, exchange.request.method == .get {
            _ = await dashboard.desk.wait(
                for: name.topic.topic, after: cursor.sequence, atMost: PollSlots.length)
        }
        return .page(try await document(name, exchange, draft: nil))
    }

    private func document(_ name: PageName, _ exchange: Exchange, draft: FormDraft?) async throws(Problem) -> String {
        let (content, sequence) = try await dashboard.content(of: name)
        // Whoever looks at a page keeps what runs only while watched going for its grace time at least.
        dashboard.board.watch(name.topic.topic).release()
        let page = LivePage(name.topic, exchange.locale)
        let base = name.path.isEmpty ? "" : name.path + "/"
        let after = dashboard.mount.url(base + "after/\(dashboard.board.epoch).\(sequence)")
        var frame = exchange.frame(dashboard)
        frame.path = dashboard.mount.url(name.path)
        return dashboard.renderer.document(
            content, cursor: dashboard.desk.answers.cursor(page, sequence: sequence, after: after), frame: frame,
            draft: draft)
    }
}
