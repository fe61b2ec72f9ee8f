import HTTPTypes
import Hummingbird
import WeirBoards
import WeirJournals
import WeirStates

/// Answers the API's request for a run's output lines after a number, or for those that a search finds; with `wait`, holds
/// it until there is a line.
struct OutputLines {
    static let limit = 1_000

    let dashboard: AudienceDashboard

    func list(of run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let query = exchange.target.query
        let known = try query.number("unfinished", 0...Int.max)
        let after = try query.place("after") ?? .zero
        let limit = try query.number("limit", 1...Self.limit) ?? Self.limit
        if let search = try OutputExcerpts(dashboard: dashboard).search(query, limit: limit) {
            guard query["wait"] == nil else { throw .malformedQuery("wait", .queryNoWait) }
            return try await list(search, in: run, after: after)
        }
        let preference = FeedChanges.wait(preferredBy: exchange.header(.prefer))
        let wait = FeedChanges.bounded(
            try query.number("wait", 0...FeedChanges.longestWait) ?? preference ?? 0, exchange.right)
        var tail = try await tail(of: run)
        func isNews(_ tail: OutputTail) -> Bool {
            after < tail.head || tail.isClosed || known.map { Int64($0) != tail.unfinished.revision } == true
        }
        let isHeld = wait > 0 && !isNews(tail) && exchange.request.method == .get
        let deadline = dashboard.clock.uptime + Int64(wait) * 1_000
        while isHeld, !isNews(tail) {
            let rest = deadline - dashboard.clock.uptime
            guard rest > 0 else { break }
            let outcome = await dashboard.pollResponder.wait(
                for: .output(run), after: after, atMost: rest, right: exchange.right)
            let revision = tail.unfinished.revision
            tail = try await self.tail(of: run)
            // Without a change, the interruption frees the connection, or the right was lost.
            if outcome != .interrupted || tail.unfinished.revision == revision { break }
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
                "unfinished": tail.unfinished.json,
            ], headers: headers)
    }

    private func list(_ search: OutputSearch, in run: String, after: SequenceNumber) async throws(Problem) -> Response {
        // Read first: if the run has ended, the search covers all lines.
        let tail = try await tail(of: run)
        let matches = try await OutputExcerpts(dashboard: dashboard).matches(search, in: run)
        let lines: [OutputLine]
        do { lines = try await dashboard.board.output(of: run, numbers: matches.numbers) } catch {
            throw Problem(error)
        }
        let isMore = matches.preceding + lines.count < matches.count
        let next = isMore ? lines.last?.number ?? after : max(after, matches.searched)
        return try .json([
            "run": .string(run), "from": .integer(after.rawValue), "next": .integer(next.rawValue),
            "count": .integer(max(tail.head, matches.searched).rawValue), "ended": .bool(tail.isClosed),
            "more": .bool(isMore),
            "matches": .integer(Int64(clamping: matches.count)), "searched": .integer(matches.searched.rawValue),
            "complete": .bool(matches.isComplete), "lines": .array(lines.map(\.json)),
        ])
    }

    private func tail(of run: String) async throws(Problem) -> OutputTail {
        do { return try await dashboard.board.outputTail(of: run) } catch { throw Problem(error) }
    }
}

extension UnfinishedLines {
    var json: JSONValue {
        let lines = lines.map { JSONValue.object(["channel": .string($0.channel.rawValue), "text": .string($0.text)]) }
        return ["revision": .integer(revision), "lines": .array(lines)]
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
