import Boards
import HTTPTypes
import Hummingbird
import Journals
import States

/// The changes of a feed, oldest first, from a cursor on; held until there is one, if that is wished.
struct FeedChanges {
    /// The most changes in one answer.
    static let limit = 500
    /// The longest hold, in seconds.
    static let longestWait = 60

    let dashboard: Dashboard

    func list(_ feed: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let topic = try await topic(feed)
        let query = exchange.target.query
        let limit = try query.number("limit", 1...Self.limit) ?? Self.limit
        let preference = Self.wait(preferredBy: exchange.header(.prefer))
        let wait = try query.number("wait", 0...Self.longestWait) ?? preference ?? 0
        var start = try start(query["after"], topic: topic)
        if start.cursor != nil, start.reset == nil, wait > 0, exchange.request.method == .get {
            _ = await dashboard.desk.wait(for: topic, after: start.cursor ?? 0, atMost: Int64(wait) * 1_000)
        }
        let slice: ChangeSlice
        do {
            slice = try await dashboard.board.changes(of: topic, after: start.cursor, limit: limit)
        } catch {
            throw Problem(error)
        }
        if start.cursor != nil, let lost = slice.lost {
            start.reset = [
                "reason": "gap", "lost": [.integer(lost.lowerBound), .integer(lost.upperBound)],
                "detail": "Changes between these sequences are no longer kept; those that are follow.",
            ]
        }
        var answer: [String: JSONValue] = [
            "epoch": .string(dashboard.board.epoch), "from": .integer(slice.from), "to": .integer(slice.to),
            "more": .bool(slice.more), "changes": .array(slice.changes.map(\.json)),
            "next": .string(FeedCursor(epoch: dashboard.board.epoch, sequence: slice.to).description),
        ]
        answer["reset"] = start.reset
        let headers: HTTPFields =
            query["wait"] == nil && preference != nil ? [.preferenceApplied: "wait=\(wait)"] : [:]
        return try .json(.object(answer), headers: headers)
    }

    /// Where to begin: a sequence, or nil for all that is kept; and why, where that is not what was asked for.
    private struct Start {
        var cursor: Int64?
        var reset: JSONValue?
    }

    private func start(_ after: String?, topic: Topic) throws(Problem) -> Start {
        guard let after else { return Start() }
        guard let cursor = FeedCursor(after) else {
            throw .malformedQuery("after", "must be the “next” of an answer, such as k3f9.1041; leave it out to begin.")
        }
        guard cursor.epoch == dashboard.board.epoch else {
            return Start(reset: [
                "reason": "epoch",
                "detail": "The cursor belongs to another history than this server's; all that is kept follows.",
            ])
        }
        // A cursor of another feed of this history is as good: only beyond the whole journal nothing can be.
        guard cursor.sequence <= max(dashboard.board.feed.head(of: .board), dashboard.board.feed.head(of: topic)) else {
            return Start(reset: [
                "reason": "future",
                "detail":
                    "The cursor is ahead of this history, which must have been restored; all that is kept follows.",
            ])
        }
        return Start(cursor: cursor.sequence)
    }

    private func topic(_ feed: String) async throws(Problem) -> Topic {
        switch Topic(feed) {
        case .board: return .board
        case .operation(let id):
            guard dashboard.board.catalog[id] != nil else { throw .unknownOperation(id) }
            return .operation(id)
        case .run(let id):
            do { return .run(try await dashboard.board.run(id).record.id) } catch { throw Problem(error) }
        case .store(let id): return .store(try dashboard.store(id).id)
        case .output, nil:
            throw .unknownFeed(feed)
        }
    }

    /// The seconds of `Prefer: wait=N` (RFC 7240), at most as many as are possible; a preference is never refused.
    static func wait(preferredBy prefer: String?) -> Int? {
        for part in (prefer ?? "").split(whereSeparator: { $0 == "," || $0 == ";" }) {
            let pair = part.split(separator: "=").map { $0.filter { !$0.isWhitespace } }
            if pair.count == 2, pair[0].lowercased() == "wait", let seconds = Int(pair[1]), seconds >= 0 {
                return min(seconds, longestWait)
            }
        }
        return nil
    }
}
