import Hummingbird
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

/// The region of a live page as it stands, with its cursor: what a client takes over that has lost its place.
struct Snapshots: Sendable {
    let dashboard: AudienceDashboard

    func show(_ request: PollRequest, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let page = dashboard.renderer.page(feedName: request.feed) else { throw .unknownFeed(request.feed) }
        let isOwn = request.audience == (dashboard.isPublic ? nil : dashboard.audience.label)
        guard isOwn else {
            // Said only of what may be seen: of anything else there is nothing.
            if case .run(let id) = page.topic { _ = try await dashboard.content(of: .run(id)) }
            if case .output(let id) = page.topic { _ = try await dashboard.content(of: .run(id)) }
            return Response(dashboard.pollResponder.answers.otherAudience(request))
        }
        if case .output(let run) = page.topic { return try await show(outputOf: run, page) }
        let (content, sequence) = try await dashboard.content(of: PageName(page.topic))
        dashboard.board.watch(page.topic.topic).release()
        let cursor = dashboard.pollResponder.answers.cursor(page, sequence: sequence, after: nil)
        var frame = exchange.frame(dashboard)
        frame.locale = page.locale
        if page.topic == .board { frame.arrangement = Pins.arrangement(of: exchange) }
        frame.schedule = try await dashboard.schedule(on: PageName(page.topic))
        let output = try await dashboard.output(on: PageName(page.topic), page.locale)
        let html = try await WorkPool.documents.answer { [renderer = dashboard.renderer, frame] in
            renderer.region(content, cursor: cursor, frame: frame, output: output)
        }
        return try answer(html, at: sequence, cursor, page, isOwn: !frame.arrangement.isCommon)
    }

    private func show(outputOf run: String, _ page: LivePage) async throws(Problem) -> Response {
        let tail: OutputTail
        do { tail = try await dashboard.board.outputTail(of: run) } catch { throw Problem(error) }
        let cursor = dashboard.pollResponder.answers.cursor(page, sequence: tail.head, after: nil)
        let html = try await WorkPool.documents.answer { [renderer = dashboard.renderer] in
            renderer.region(PageOutput(tail: tail, cursor: cursor), of: run, locale: page.locale)
        }
        return try answer(html, at: tail.head, cursor, page)
    }

    private func answer(
        _ html: String, at sequence: SequenceNumber, _ cursor: PageCursor, _ page: LivePage,
        isOwn: Bool = false
    ) throws(Problem) -> Response {
        var json: [String: JSONValue] = [
            "v": 1, "k": "snap", "e": .string(cursor.epoch), "at": .integer(sequence.rawValue), "html": .string(html),
            "next": .string(cursor.next), "now": .string(cursor.now), "snap": .string(cursor.snap),
        ]
        let notices = dashboard.pollResponder.answers.notices
        if !notices.isEmpty {
            json["notice"] = .string(dashboard.renderer.notice(notices, locale: page.locale))
        }
        var response = try Response.json(.object(json))
        let caching = isOwn ? .personal : dashboard.pollResponder.answers.caching(.brief)
        response.headers[.cacheControl] = caching.rawValue
        return response
    }
}
