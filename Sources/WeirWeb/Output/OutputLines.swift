import HTTPTypes
import Hummingbird
import WeirBoards
import WeirJournals
import WeirStates

/// The lines that a run printed, from a number on; held until there is one, if that is wished.
struct OutputLines {
    /// The most lines in one answer.
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
    /// The line as the API tells it.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "number": .integer(number.rawValue), "at": .string(at.description), "channel": .string(channel.rawValue),
            "text": .string(text),
        ]
        if continues { members["continues"] = true }
        return .object(members)
    }
}
