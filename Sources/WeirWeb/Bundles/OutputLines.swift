import HTTPTypes
import Hummingbird
import NIOCore
import WeirBoards
import WeirJournals
import WeirStates

/// Answers the API's request for a run's output lines after a number; with `wait`, holds it until there is a line.
struct OutputLines {
    static let limit = 1_000

    let dashboard: AudienceDashboard

    func list(of run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let query = exchange.target.query
        let after = try query.place("after") ?? .zero
        let limit = try query.number("limit", 1...Self.limit) ?? Self.limit
        let preference = FeedChanges.wait(preferredBy: exchange.header(.prefer))
        let wait = try query.number("wait", 0...FeedChanges.longestWait) ?? preference ?? 0
        var tail = try await tail(of: run)
        let isHeld = wait > 0 && after >= tail.head && !tail.isClosed && exchange.request.method == .get
        if isHeld {
            _ = await dashboard.pollResponder.wait(for: .output(run), after: after, atMost: Int64(wait) * 1_000)
            tail = try await self.tail(of: run)
        }
        let lines: [OutputLine]
        do { lines = try await dashboard.board.output(of: run, after: after, limit: limit) } catch {
            throw Problem(error)
        }
        let next = lines.last?.number ?? min(after, tail.head)
        let headers: HTTPFields =
            isHeld && query["wait"] == nil ? [.preferenceApplied: "wait=\(wait)"] : [:]
        return try .json(
            [
                "run": .string(run), "from": .integer(after.rawValue), "next": .integer(next.rawValue),
                "count": .integer(tail.head.rawValue),
                "ended": .bool(tail.isClosed), "more": .bool(next < tail.head),
                "lines": .array(lines.map(\.json)),
            ], headers: headers)
    }

    private func tail(of run: String) async throws(Problem) -> OutputTail {
        do { return try await dashboard.board.outputTail(of: run) } catch { throw Problem(error) }
    }
}

extension OutputLine {
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "number": .integer(number.rawValue), "at": .string(at.description), "channel": .string(channel.rawValue),
            "text": .string(text),
        ]
        if continues { members["continues"] = true }
        return .object(members)
    }
}

/// Sends a run's output so far as a text file, including escape sequences.
///
/// Each page of lines is read only after the client has received the one before. If the journal fails midway, the connection is
/// aborted, so that clients detect the truncation.
struct OutputText {
    /// The maximum number of lines read at a time; fewer if lines are long.
    private static let pageLength = 1_000
    /// The approximate size of a written chunk, in bytes.
    private static let pieceSize = 64 * 1_024
    /// The memory used per client: the lines of one page and one chunk.
    private static let memory = Board.answerBytes + pieceSize

    let dashboard: AudienceDashboard

    func show(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let (board, right) = (dashboard.board, exchange.right)
        let share = dashboard.answers.share()
        guard share.grow(by: BodyBudget.freeAnswer + Self.memory) else { throw .crowdedAnswers }
        let last: SequenceNumber
        do {
            last = try await board.outputTail(of: run).head
            // Detect errors of the journal before the response head is sent.
            _ = try await board.output(of: run, limit: 1)
        } catch {
            throw Problem(error)
        }
        let headers: HTTPFields = [
            .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"run-\(run).txt\"",
        ]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(share) {} }
                var end = SequenceNumber.zero
                var piece = ByteBuffer()
                var joiner = OutputJoiner()
                while end < last {
                    let lines = try await board.output(of: run, after: end, limit: Self.pageLength)
                    guard let next = lines.last?.number else { break }
                    for line in lines where line.number <= last {
                        piece.writeString(joiner.text(line.text, on: line.channel, continues: line.continues))
                        guard piece.readableBytes >= Self.pieceSize else { continue }
                        try right?.check()
                        try await writer.write(piece)
                        piece.clear()
                    }
                    end = next
                }
                try right?.check()
                if piece.readableBytes > 0 { try await writer.write(piece) }
                try await writer.finish(nil)
            })
    }
}
