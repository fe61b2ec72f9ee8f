import Hummingbird
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

/// What live clients ask, answered by a route.
struct Polls {
    let dashboard: AudienceDashboard

    func answer(_ exchange: Exchange) async throws(Problem) -> Response {
        // The path is read as it was sent: an encoded or decorated one would be a second name of the same answer.
        guard let below = dashboard.mount.below(exchange.target.text), below.hasPrefix("live/1/"),
            var request = self.request(below.dropFirst("live/1/".count))
        else { throw .malformedPath }
        request.takesGzip = exchange.acceptsGzip
        // Only the feeds are for an audience; nobody is answered as nobody.
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

    /// Only the overview's region has a query: how its reader has arranged it.
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
            // A run of a history whose place another has taken: whoever looks at it is told so.
            feedStatus = PollDecision.FeedStatus(epoch: dashboard.board.epoch, head: 0, floor: 0, isClosed: false)
        }
        return try await reply(request, admission, feedStatus, exchange, delivery)
    }

    /// Asks the responder; an answer that has to be rendered is, on threads that nothing else waits for.
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

    /// How a feed stands that memory does not know.
    private func lookUp(_ topic: PageTopic?) async throws(BoardError) -> PollDecision.FeedStatus? {
        switch topic {
        case .run(let id):
            let record = try await dashboard.board.run(id).record
            // What memory does not have cannot be brought by events: a page that is behind starts over.
            return PollDecision.FeedStatus(
                epoch: dashboard.board.epoch, head: record.sequence, floor: record.sequence,
                isClosed: record.endedAt != nil, isShared: dashboard.board.isShared)
        case .output(let run):
            return dashboard.pollResponder.feedStatus(of: try await dashboard.board.outputTail(of: run))
        case .board, .runs, .operation, .stores, .store, nil: return nil
        }
    }
}
