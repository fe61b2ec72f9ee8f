import Boards
import Hummingbird
import Pages
import States

/// The region of a live page as it stands, with its cursor: what a client takes over that has lost its place.
struct Snapshots {
    let dashboard: Dashboard

    func show(_ request: PollRequest, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let page = dashboard.renderer.page(feedName: request.feed) else { throw .unknownFeed(request.feed) }
        if case .output(let run) = page.topic { return try await show(outputOf: run, page) }
        let (content, sequence) = try await dashboard.content(of: PageName(page.topic))
        dashboard.board.watch(page.topic.topic).release()
        let cursor = dashboard.desk.answers.cursor(page, sequence: sequence, after: nil)
        var frame = exchange.frame(dashboard)
        frame.locale = page.locale
        let output = try await dashboard.output(on: PageName(page.topic), page.locale)
        return try answer(
            dashboard.renderer.region(content, cursor: cursor, frame: frame, output: output), at: sequence, cursor)
    }

    private func show(outputOf run: String, _ page: LivePage) async throws(Problem) -> Response {
        let tail: OutputTail
        do { tail = try await dashboard.board.outputTail(of: run) } catch { throw Problem(error) }
        let cursor = dashboard.desk.answers.cursor(page, sequence: tail.head, after: nil)
        let html = dashboard.renderer.region(PageOutput(tail: tail, cursor: cursor), of: run, locale: page.locale)
        return try answer(html, at: tail.head, cursor)
    }

    private func answer(_ html: String, at sequence: Int64, _ cursor: PageCursor) throws(Problem) -> Response {
        let json: JSONValue = [
            "v": 1, "k": "snap", "e": .string(cursor.epoch), "at": .integer(sequence), "html": .string(html),
            "next": .string(cursor.next), "now": .string(cursor.now), "snap": .string(cursor.snap),
        ]
        var response = try Response.json(json)
        response.headers[.cacheControl] = PollAnswer.Caching.brief.rawValue
        return response
    }
}
