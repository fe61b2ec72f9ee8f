import HTTPTypes
import Hummingbird
import NIOCore
import WeirBoards
import WeirJournals
import WeirStates

/// Serves the streams of externally reported runs (sections 5.1 to 5.3, 5.5 and 5.6 of the Durable Streams protocol).
///
/// PUT opens a run, POST appends messages and ends it, GET reads them back. Missing permissions never result in 403, which
/// clients interpret as a fenced producer.
struct ReportStreams {
    /// The maximum number of states, and of lines, per read.
    private static let pageLength = 1_000

    let dashboard: AudienceDashboard

    func answer(_ run: String, of operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard ReportNames.isOperation(operation) else { throw .unknownOperation(operation) }
        guard ReportNames.isRun(run) else { throw .malformedRunName }
        guard !run.hasPrefix(Self.otherPrefix) else { throw .reservedRunName(run) }
        return switch exchange.request.method {
        case .put: try await open(run, of: operation, exchange)
        case .post: try await add(to: run, of: operation, exchange)
        default: try await read(run, of: operation, exchange)
        }
    }

    // MARK: Opening

    private func open(_ run: String, of operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        for name in [HTTPField.Name.streamLifetime, .streamExpiry, .streamSource]
        where exchange.header(name) != nil {
            throw ProducerHeaders.malformed(
                name, "is not served here: what is kept, and how long, is up to the server's settings.")
        }
        // Checked only on opening: runs that earlier versions accepted can still be reported.
        guard !StreamID.reservedRuns.contains(run) else { throw .reservedRunName(run) }
        let limits = dashboard.configuration.reports
        let opening = try await body(exchange, mayLackType: true).read { (bytes) throws(Problem) in
            // Not `? :`, where `nil` would become a JSON null.
            var body: JSONValue?
            if bytes.readableBytes > 0 { body = try JSONValue(body: bytes) }
            do throws(ReportMessages.Mistakes) { return try ReportOpening(body, limits: limits) } catch {
                throw Problem.malformedMessages(error)
            }
        }
        let lease = try ProducerHeaders.lease(in: exchange.request.headers)
        func report(under name: String) -> Report {
            Report(
                run: name, operation: operation, reporter: exchange.actor,
                opening: RunOpening(
                    actor: exchange.actor, input: opening.input, report: RunReport(title: opening.title)),
                ending: closes(exchange) ? .closed(nil) : .none, happenedAt: [opening.happenedAt], lease: lease)
        }
        var (name, receipt) = (run, try await take(report(under: run)))
        let other = otherName(of: run, of: operation, exchange)
        if receipt.outcome == .conflict, !(await mayKnow(run, of: operation, exchange)) {
            (name, receipt) = (other, try await take(report(under: other)))
        } else if receipt.outcome == .removedRun,
            (try? await dashboard.board.reports(of: other, operation: operation, limit: 0)) != nil
        {
            (name, receipt) = (other, try await take(report(under: other)))
        }
        switch receipt.outcome {
        case .taken, .known:
            var fields = self.fields(receipt)
            fields[.contentType] = "application/json"
            if receipt.outcome == .taken {
                fields[.location] = exchange.path
                exchange.notes.add("run \(name)")
            }
            fields[.cacheControl] = "no-store"
            return Response(status: receipt.outcome == .taken ? .created : .ok, headers: fields)
        default: throw problem(receipt, run: run, producer: nil)
        }
    }

    // MARK: Adding

    private func add(to run: String, of operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        if exchange.header(.streamSequence) != nil {
            throw ProducerHeaders.malformed(
                .streamSequence,
                "is not served here. Number the requests with Producer-Id, Producer-Epoch and Producer-Seq.")
        }
        let producer = try ProducerHeaders.stamp(in: exchange.request.headers)
        let lease = try ProducerHeaders.lease(in: exchange.request.headers)
        let isClosing = closes(exchange)
        let bytes: ByteBuffer
        do { bytes = try await body(exchange, mayLackType: false) } catch {
            // An ended run takes precedence over other errors, so that the reporter learns of it.
            if error.kind == Problem.otherType.kind { try await refuseEnded(run, of: operation, exchange) }
            throw error
        }
        var messages: ReportMessages?
        if bytes.readableBytes > 0 {
            let limits = dashboard.configuration.reports
            messages = try await bytes.read { (bytes) throws(Problem) in
                let body = try JSONValue(body: bytes)
                do throws(ReportMessages.Mistakes) {
                    return try ReportMessages(body, isClosing: isClosing, limits: limits)
                } catch {
                    throw Problem.malformedMessages(error)
                }
            }
        } else if !isClosing {
            throw .malformedBody(
                "There is no message in the body. To end the run without one, send Stream-Closed: true.")
        }
        func report(under name: String) -> Report {
            Report(
                run: name, operation: operation, reporter: exchange.actor, entries: messages?.entries ?? [],
                ending: isClosing ? .closed(messages?.end) : .none, happenedAt: messages?.happenedAt ?? [],
                producer: producer, lease: lease)
        }
        var receipt = try await take(report(under: run))
        if [.unknownRun, .removedRun].contains(receipt.outcome) {
            let other = try await take(report(under: otherName(of: run, of: operation, exchange)))
            if other.outcome != .unknownRun { receipt = other }
        }
        switch receipt.outcome {
        case .taken, .known:
            var fields = fields(receipt)
            fields[.cacheControl] = "no-store"
            let isNew = receipt.outcome == .taken && producer != nil
            return Response(status: isNew ? .ok : .noContent, headers: fields)
        default: throw problem(receipt, run: run, producer: producer)
        }
    }

    private func refuseEnded(_ run: String, of operation: String, _ exchange: Exchange) async throws(Problem) {
        do {
            let messages = try await reportedMessages(of: run, of: operation, limit: 0, exchange)
            guard messages.record.endedAt != nil, messages.record.opening.actor == exchange.actor else { return }
            let place = ReportPlace(sequence: messages.record.sequence, line: messages.lines)
            throw Problem.endedRun(offset(place))
        } catch let error as BoardError {
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .internalError
        }
    }

    // MARK: Reading back

    private func read(_ run: String, of operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let query = exchange.target.query
        let place: ReportPlace?
        do throws(StreamRequest.Mistake) {
            if try StreamRequest.single("live", query) != nil {
                throw StreamRequest.Mistake(
                    field: "live", detail: "is not served here. Follow the streams run-\(run) and output-\(run).")
            }
            place = try self.place(try StreamRequest.single("offset", query))
        } catch { throw Problem(error) }
        let found: ReportedMessages
        do {
            found = try await reportedMessages(of: run, of: operation, after: place, limit: Self.pageLength, exchange)
        } catch { throw Problem(error) }
        let isEnded = found.record.endedAt != nil
        let tail = ReportPlace(sequence: found.record.sequence, line: found.lines)
        if let place, place.sequence > tail.sequence || place.line > tail.line {
            throw .lost(.future, first: offset(ReportPlace(sequence: 0, line: 0)))
        }
        let isNow = query["offset"] == "now"
        if exchange.request.method == .head || isNow {
            var fields = self.fields(at: tail, isUpToDate: isNow, isEnded: isEnded)
            fields[.contentType] = "application/json"
            return Response(
                StreamAnswer(.ok, fields, caching: .never, body: ByteBuffer(string: "[]")))
        }
        let messages = found.messages.map { message -> ByteBuffer in StreamAnswers.buffer(message.json) }
        let chunk = StreamChunk(
            messages: messages.enumerated().map { (SequenceNumber(clamping: $0.offset + 1), $0.element) }, after: 0,
            more: found.more, isClosed: isEnded)
        // The chunk may be cut at the size limit, so the place is the one after its last message.
        let end = found.place(after: Int(clamping: chunk.to.rawValue), from: place)
        var fields = self.fields(at: end, isUpToDate: !chunk.more, isEnded: chunk.isClosed)
        fields[.contentType] = "application/json"
        fields[.eTag] =
            "\"\(offset(place ?? ReportPlace(sequence: 0, line: 0)))_\(end.sequence)_\(end.line)\(chunk.isClosed ? "_closed" : "")\""
        return Response(
            StreamAnswer(.ok, fields, caching: .never, body: chunk.body), unless: exchange.header(.ifNoneMatch))
    }

    private func place(_ offset: String?) throws(StreamRequest.Mistake) -> ReportPlace? {
        guard let offset, offset != "-1", offset != "now" else { return nil }
        guard let known = StreamOffset(offset), let line = known.line,
            known.history == dashboard.streamResponder.answers.history
        else { throw .malformedOffset }
        return ReportPlace(sequence: known.sequence, line: line)
    }

    // MARK: Names

    /// The beginning of names that the server chooses, which no request can name.
    private static let otherPrefix = "reported-under-other-name-"

    /// The name that the caller's run gets if the requested one belongs to a run of which the caller must not learn.
    private func otherName(of run: String, of operation: String, _ exchange: Exchange) -> String {
        let hash = StableHash("\(operation)\n\(exchange.actor)\n\(run)".utf8)
        return Self.otherPrefix + String(hash.value, radix: 16)
    }

    /// Whether the caller may learn that a run has this name: it opened the run, or may see it.
    private func mayKnow(_ run: String, of operation: String, _ exchange: Exchange) async -> Bool {
        if (try? await dashboard.board.run(run)) != nil { return true }
        let found = try? await dashboard.board.reports(of: run, operation: operation, limit: 0)
        return found?.record.opening.actor == exchange.actor
    }

    /// The messages of a run of which the caller may learn, under the requested name or the other one.
    private func reportedMessages(
        of run: String, of operation: String, after place: ReportPlace? = nil, limit: Int, _ exchange: Exchange
    ) async throws(BoardError) -> ReportedMessages {
        var removed: BoardError?
        for name in [run, otherName(of: run, of: operation, exchange)] {
            do throws(BoardError) {
                let found = try await dashboard.board.reports(
                    of: name, operation: operation, after: place, limit: limit)
                if await mayKnow(name, of: operation, exchange) { return found }
            } catch {
                guard [.unknownRun, .removedRun].contains(error.code) else { throw error }
                if error.code == .removedRun { removed = error }
            }
        }
        if let removed { throw removed }
        throw BoardError(.unknownRun, Message(verbatim: Problem.unknownReport(run)))
    }

    // MARK: Parts

    private func take(_ report: Report) async throws(Problem) -> ReportReceipt {
        do { return try await dashboard.board.report(report) } catch { throw Problem(error) }
    }

    private func closes(_ exchange: Exchange) -> Bool { exchange.header(.streamClosed)?.lowercased() == "true" }

    private func body(_ exchange: Exchange, mayLackType: Bool) async throws(Problem) -> ByteBuffer {
        var reader = BodyReader(
            exchange, limit: Int64(dashboard.configuration.maximumBodyBytes), budget: dashboard.bodies)
        let bytes = try await reader.collect()
        guard bytes.readableBytes > 0 else { return bytes }
        if let sent = exchange.header(.contentType) {
            guard ContentType(sent)?.isJSON == true else { throw .otherType }
        } else if !mayLackType {
            throw .malformedBody("Name the type of the body: Content-Type: application/json.")
        }
        return bytes
    }

    private func offset(_ place: ReportPlace) -> String {
        StreamOffset(dashboard.streamResponder.answers.history, place.sequence, line: place.line).description
    }

    private func fields(at place: ReportPlace, isUpToDate: Bool, isEnded: Bool) -> HTTPFields {
        var fields: HTTPFields = [.streamNextOffset: offset(place)]
        if isUpToDate { fields[.streamUpToDate] = "true" }
        if isEnded { fields[.streamClosed] = "true" }
        return fields
    }

    private func fields(_ receipt: ReportReceipt) -> HTTPFields {
        var fields: HTTPFields = [:]
        if let place = receipt.place { fields[.streamNextOffset] = offset(place) }
        if receipt.isEnded { fields[.streamClosed] = "true" }
        if let producer = receipt.producer {
            fields[.producerEpoch] = producer.epoch.description
            fields[.producerNumber] = producer.number.description
        }
        return fields
    }

    private func problem(_ receipt: ReportReceipt, run: String, producer: ProducerStamp?) -> Problem {
        switch receipt.outcome {
        case .unknownRun, .taken, .known:
            return Problem(BoardError(.unknownRun, Message(verbatim: Problem.unknownReport(run))))
        case .removedRun: return .removedReport(run)
        case .conflict: return .otherReport(run)
        case .ended: return .endedRun(receipt.place.map(offset))
        case .fenced(let epoch): return .fenced(epoch)
        case .gap(let expected): return .gap(expected: expected, received: producer?.number ?? .zero)
        case .badBeginning: return .badBeginning
        case .tooManyProducers: return .tooManyProducers
        }
    }
}

extension ReportedMessages {
    /// Returns the place after the first `count` messages.
    fileprivate func place(after count: Int, from start: ReportPlace?) -> ReportPlace {
        var (sequence, line) = (start?.sequence ?? .zero, start?.line ?? .zero)
        for message in messages.prefix(max(0, count)) {
            switch message {
            case .change(let change): sequence = change.sequence
            case .line(let printed): line = printed.number
            }
        }
        return ReportPlace(sequence: sequence, line: line)
    }
}

extension ReportedMessages.Message {
    fileprivate var json: JSONValue {
        switch self {
        case .line(let line):
            var members: [String: JSONValue] = ["line": .string(line.text)]
            if line.channel != .standardOutput { members["channel"] = .string(line.channel.rawValue) }
            if line.continues { members["continues"] = true }
            return .object(members)
        case .change(let change):
            if let opening = change.draft.opening {
                var members: [String: JSONValue] = ["input": opening.input]
                members["title"] = opening.report?.title.map(JSONValue.string)
                return .object(members)
            }
            var members = change.state.payload.object ?? [:]
            members["state"] = .string(change.state.caseName)
            if change.state.phase != .active { members["phase"] = .string(change.state.phase.rawValue) }
            if let progress = change.state.progress {
                members["completed"] = .integer(progress.completed)
                members["total"] = progress.total.map(JSONValue.integer)
                members["unit"] = .string(progress.unit.rawValue)
            }
            return .object(members)
        }
    }
}
