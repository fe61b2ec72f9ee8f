import Hummingbird
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

struct Polls {
    let dashboard: AudienceDashboard

    func answer(_ exchange: Exchange) async throws(Problem) -> Response {
        // Uses the raw path: an encoded variant would be a second name of the same answer.
        guard let below = dashboard.mount.below(exchange.target.text), below.hasPrefix("live/1/"),
            var request = self.request(below.dropFirst("live/1/".count))
        else { throw .malformedPath }
        request.takesGzip = exchange.acceptsGzip
        // A feed always requires an audience.
        guard let admission = exchange.admission else { throw .unauthenticated }
        if request.kind == .snap { return try await Snapshots(dashboard: dashboard).show(request, exchange) }
        let delivery = OneShot<PollAnswer>()
        let reply = try await reply(request, admission, exchange, delivery)
        switch reply {
        case .answer(let answer): return Response(answer)
        case .farSlot: throw .malformedPath
        case .unknown, .notInMemory, .unmade: throw .unknownFeed(request.feed)
        case .held(let place):
            return Response(await dashboard.pollResponder.answer(to: request, held: place, delivered: delivery))
        }
    }

    /// Parses the path; only the overview's region accepts a query, which describes the reader's arrangement.
    private func request(_ text: Substring) -> PollRequest? {
        guard let mark = text.firstIndex(of: "?") else { return PollRequest(path: text) }
        let request = PollRequest(path: text[..<mark])
        guard let request, request.kind == .snap, LivePage(feedName: request.feed)?.topic == .board else { return nil }
        return request
    }

    private func reply(
        _ request: PollRequest, _ admission: Admission, _ exchange: Exchange, _ delivery: OneShot<PollAnswer>
    ) async throws(Problem) -> PollResponder.Reply {
        let first = try await reply(request, admission, nil, exchange, delivery)
        guard case .notInMemory = first else { return first }
        let feedStatus: PollDecision.FeedStatus
        do {
            guard let found = try await lookUp(LivePage(feedName: request.feed)?.topic) else { return first }
            feedStatus = found
        } catch {
            guard error.code == .unknownRun, request.history.map({ $0 != dashboard.board.epoch }) == true else {
                throw Problem(error)
            }
            // A run of a replaced history: the answer resets the client.
            feedStatus = PollDecision.FeedStatus(epoch: dashboard.board.epoch, head: 0, floor: 0, isClosed: false)
        }
        return try await reply(request, admission, feedStatus, exchange, delivery)
    }

    /// Polls the responder; renders on the pool of documents if necessary.
    private func reply(
        _ request: PollRequest, _ admission: Admission, _ feedStatus: PollDecision.FeedStatus?, _ exchange: Exchange,
        _ delivery: OneShot<PollAnswer>
    ) async throws(Problem) -> PollResponder.Reply {
        let (responder, eventLoop) = (dashboard.pollResponder, exchange.eventLoop)
        let poll = { @Sendable in
            responder.poll(request, of: admission, feedStatus: feedStatus, on: eventLoop) { delivery.send($0) }
        }
        return responder.mustRender(request) ? try await WorkPool.documents.answer(poll) : poll()
    }

    private func lookUp(_ topic: PageTopic?) async throws(BoardError) -> PollDecision.FeedStatus? {
        switch topic {
        case .run(let id):
            let record = try await dashboard.board.run(id).record
            // Changes that are not in memory cannot be sent, so a page that is behind resets.
            return PollDecision.FeedStatus(
                epoch: dashboard.board.epoch, head: record.sequence, floor: record.sequence,
                isClosed: record.endedAt != nil, isShared: dashboard.board.isShared)
        case .output(let run):
            return dashboard.pollResponder.feedStatus(of: try await dashboard.board.outputTail(of: run))
        case .board, .runs, .operation, .stores, .store, .wall, nil: return nil
        }
    }
}

/// The current region of a live page with its cursor, for a client that was reset.
struct Snapshots: Sendable {
    let dashboard: AudienceDashboard

    func show(_ request: PollRequest, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let page = dashboard.renderer.page(feedName: request.feed) else { throw .unknownFeed(request.feed) }
        let isOwn = request.audience == (dashboard.isPublic ? nil : dashboard.audience.label)
        guard isOwn else {
            // The audience is revealed only for visible runs.
            if case .run(let id) = page.topic { _ = try await dashboard.content(of: .run(id)) }
            if case .output(let id) = page.topic { _ = try await dashboard.content(of: .run(id)) }
            return Response(dashboard.pollResponder.answers.otherAudience(request))
        }
        if case .output(let run) = page.topic { return try await show(outputOf: run, page) }
        let (content, sequence) = try await dashboard.content(of: PageName(page.topic))
        dashboard.board.watch(page.topic.topic, starts: page.topic.startsOperations).release()
        let cursor = dashboard.pollResponder.answers.cursor(page, sequence: sequence, after: nil)
        var frame = exchange.frame(dashboard)
        frame.locale = page.locale
        if page.topic == .board { frame.arrangement = Pins.arrangement(of: exchange) }
        frame.schedule = try await dashboard.schedule(on: PageName(page.topic))
        frame.surroundings = await dashboard.surroundings(of: content)
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
