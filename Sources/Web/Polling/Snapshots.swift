import Boards
import Hummingbird
import Pages
import States

/// The region of a live page as it stands, with its cursor: what a client takes over that has lost its place.
struct Snapshots {
    let dashboard: Dashboard

    func show(_ request: PollRequest, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let page = dashboard.renderer.page(feedName: request.feed) else { throw .unknownFeed(request.feed) }
        let (content, sequence) = try await dashboard.content(of: PageName(page.topic))
        dashboard.board.watch(page.topic.topic).release()
        let cursor = dashboard.desk.answers.cursor(page, sequence: sequence, after: nil)
        var frame = exchange.frame(dashboard)
        frame.locale = page.locale
        let html = dashboard.renderer.region(content, cursor: cursor, frame: frame)
        let json: JSONValue = [
            "v": 1, "k": "snap", "e": .string(cursor.epoch), "at": .integer(sequence), "html": .string(html),
            "next": .string(cursor.next), "now": .string(cursor.now), "snap": .string(cursor.snap),
        ]
        var response = try Response.json(json)
        response.headers[.cacheControl] = PollAnswer.Caching.brief.rawValue
        return response
    }
}
