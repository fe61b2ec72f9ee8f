import HTTPTypes
import Hummingbird
import ServiceLifecycle
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// Serves feeds and outputs as streams of the Durable Streams protocol (sections 5.5 to 5.8).
struct Streams {
    let dashboard: AudienceDashboard

    private var responder: StreamResponder { dashboard.streamResponder }
    private var answers: StreamAnswers { responder.answers }

    func read(_ feed: String, isText: Bool, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let name = StreamName(feed: feed, isText: isText) else { throw .unknownFeed(feed) }
        let request: StreamRequest
        do { request = try StreamRequest(name, query: exchange.target.query) } catch { throw Problem(error) }
        var mayFollow = false
        // Positions of an output are line numbers.
        if case .after(let offset) = request.start, name.output == nil {
            mayFollow = await dashboard.board.mayBeRecorded(offset.sequence)
        }
        let status = try await status(of: name)
        if exchange.request.method == .head { return Response(answers.head(request, status)) }
        let from: SequenceNumber
        switch answers.decision(request, status) {
        case .lost(.future) where mayFollow:
            throw Problem(BoardError(.unavailable, Message(ProblemWording.notCaughtUp)))
        case .lost(let loss): throw .lost(loss, first: answers.offset(min(status.floor, status.head), of: name))
        case .read(let after): from = after
        case .nothing(let at), .end(let at): from = at
        }
        if request.mode == .events {
            let right = try await right(to: name.topic, exchange)
            return StreamEvents(dashboard: dashboard, request: request, from: from, right: right).response()
        }
        return try await answer(request, status, from: from, exchange)
    }

    /// The right to read a stream, which changes of the reader's other rights do not end.
    private func right(to topic: Topic, _ exchange: Exchange) async throws(Problem) -> HeldRight? {
        guard let right = exchange.right else { return nil }
        var operation: String?
        switch topic {
        case .run(let id), .output(let id):
            do { operation = try await dashboard.board.require(.see, onRun: id) } catch { throw Problem(error) }
        case .board, .operation, .store: break
        }
        return right.to(topic, operation: operation)
    }

    private func answer(
        _ request: StreamRequest, _ status: StreamStatus, from: SequenceNumber, _ exchange: Exchange
    ) async throws(Problem) -> Response {
        // A feed always requires an audience.
        guard let admission = exchange.admission else { throw .unauthenticated }
        let delivery = OneShot<StreamAnswer>()
        let reply = responder.read(request, of: admission, status: status, on: exchange.eventLoop) { delivery.send($0) }
        let answer: StreamAnswer
        switch reply {
        case .answer(let made): answer = made
        case .held(let place): answer = await responder.answer(request, held: place, delivered: delivery)
        case .crowded: throw .crowdedStreams
        case .askRoute:
            guard let chunk = try await chunk(of: request.name, after: from) else {
                let floor = try await self.status(of: request.name).floor
                throw .lost(.removed, first: answers.offset(floor, of: request.name))
            }
            answer = answers.answer(request, chunk, from: from)
        }
        return Response(answer, unless: request.mode == .catchUp ? exchange.header(.ifNoneMatch) : nil)
    }

    /// Returns the chunk after `from`, from memory or the journal; nil if part of it was removed.
    func chunk(of name: StreamName, after from: SequenceNumber) async throws(Problem) -> StreamChunk? {
        if let chunk = answers.chunk(of: name, after: from) { return chunk }
        do {
            if let run = name.output {
                let tail = try await dashboard.board.outputTail(of: run)
                let lines = try await dashboard.board.output(of: run, after: from, limit: StreamChunk.lineLimit + 1)
                return answers.chunk(
                    of: name, lines, after: from, head: max(tail.head, lines.last?.number ?? from),
                    isClosed: tail.isClosed)
            }
            let slice = try await dashboard.board.changes(
                of: name.topic, after: from, limit: StreamChunk.changeLimit)
            return slice.lost == nil
                ? answers.chunk(of: name.topic, slice.changes, after: from, through: slice.to, more: slice.more) : nil
        } catch {
            throw Problem(error)
        }
    }

    /// Returns the status of a stream, including messages that only the journal has.
    func status(of name: StreamName) async throws(Problem) -> StreamStatus {
        do {
            if let run = name.output {
                let tail = try await dashboard.board.outputTail(of: run)
                return StreamStatus(head: tail.head, floor: 0, isClosed: tail.isClosed)
            }
            let topic = try topic(of: name)
            if case .run(let id) = topic {
                let record = try await dashboard.board.run(id).record
                return StreamStatus(head: record.sequence, floor: 0, isClosed: record.endedAt != nil)
            }
            let head = dashboard.board.feed.head(of: topic)
            let floor = try await dashboard.board.floor(of: topic)
            return StreamStatus(head: head, floor: floor, isClosed: false)
        } catch let error as BoardError {
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .internalError
        }
    }

    private func topic(of name: StreamName) throws(Problem) -> Topic {
        let topic = name.topic
        switch topic {
        case .operation(let id):
            // Runs of undeclared operations may be reported.
            guard dashboard.board.catalog[id] != nil || dashboard.board.feed.head(of: topic) > 0 else {
                throw .unknownOperation(id)
            }
        case .store(let id): _ = try dashboard.store(id)
        // A link only shows its run.
        case .board: guard !dashboard.permissions.isLink else { throw .unknownFeed("board") }
        case .run, .output: break
        }
        return topic
    }
}

extension StreamResponder {
    /// Waits for the answer to a held reader.
    ///
    /// Does not notice that the client disconnects; the cursor's interval bounds how long the registration is kept.
    func answer(
        _ request: StreamRequest, held place: WaitRegistration<ChangeWaiter>, delivered delivery: OneShot<StreamAnswer>
    ) async -> StreamAnswer {
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                await delivery.value()
            } onCancel: {
                if leave(place) { delivery.send(StreamAnswer(.noContent, [:], caching: .never)) }
            }
        } onGracefulShutdown: {
            self.drain()
        }
    }
}

extension Response {
    /// Creates the response to a stream reader, or 304 if `known` contains its entity tag.
    init(_ answer: StreamAnswer, unless known: String? = nil) {
        var fields = answer.fields
        if answer.closes { fields[.connection] = "close" }
        if let known, let tag = fields[.eTag], Self.list(known, has: tag) {
            fields[.contentType] = nil
            self.init(status: .notModified, headers: fields)
            return
        }
        let hasBody = answer.status != .noContent
        self.init(
            status: answer.status, headers: fields,
            body: hasBody ? ResponseBody(byteBuffer: answer.body) : ResponseBody())
    }

    private static func list(_ tags: String, has tag: String) -> Bool {
        tags.split(separator: ",").contains { each in
            let each = String(each.drop { $0 == " " })
            return each == "*" || each == tag || each == "W/" + tag
        }
    }
}
