import HTTPTypes
import Hummingbird
import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

/// The changes of a feed, oldest first, from a cursor on; held until there is one, if that is wished.
struct FeedChanges {
    /// The most changes in one answer.
    static let limit = 500
    /// The longest hold, in seconds.
    static let longestWait = 60

    let dashboard: AudienceDashboard

    func list(_ feed: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let topic = try await topic(feed)
        let query = exchange.target.query
        let limit = try query.number("limit", 1...Self.limit) ?? Self.limit
        let preference = Self.wait(preferredBy: exchange.header(.prefer))
        let wait = try query.number("wait", 0...Self.longestWait) ?? preference ?? 0
        let mayWait = wait > 0 && exchange.request.method == .get
        var start = try await start(query["after"], topic: topic)
        var slice: ChangeSlice?
        if mayWait, start.cursor == nil, start.reset == nil {
            // Where nothing is kept there is nothing to begin with, and what comes next is waited for.
            let head = dashboard.board.feed.head(of: .board)
            slice = try await changes(of: topic, after: nil, limit: limit)
            if slice?.changes.isEmpty == true { (start.cursor, slice) = (head, nil) }
        }
        let isHeld = mayWait && start.cursor != nil && start.reset == nil
        if isHeld, let cursor = start.cursor {
            _ = await dashboard.pollResponder.wait(for: topic, after: cursor, atMost: Int64(wait) * 1_000)
        }
        let found =
            if let slice { slice } else { try await changes(of: topic, after: start.cursor, limit: limit) }
        if start.cursor != nil, let lost = found.lost {
            start.reset = [
                "reason": "gap", "lost": [.integer(lost.lowerBound.rawValue), .integer(lost.upperBound.rawValue)],
                "detail": "Changes between these sequences are no longer kept; the list has those that are.",
            ]
        }
        var answer: [String: JSONValue] = [
            "epoch": .string(dashboard.board.epoch), "from": .integer(found.from.rawValue),
            "to": .integer(found.to.rawValue),
            "more": .bool(found.more), "changes": .array(found.changes.map(\.json)),
            "next": .string(
                FeedCursor(epoch: dashboard.board.epoch, sequence: found.to, part: part(of: topic)).description),
        ]
        answer["reset"] = start.reset
        let headers: HTTPFields =
            isHeld && query["wait"] == nil ? [.preferenceApplied: "wait=\(wait)"] : [:]
        return try .json(.object(answer), headers: headers)
    }

    private func changes(
        of topic: Topic, after cursor: SequenceNumber?, limit: Int
    ) async throws(Problem) -> ChangeSlice {
        do {
            return try await dashboard.board.changes(of: topic, after: cursor, limit: limit)
        } catch {
            throw Problem(error)
        }
    }

    /// Where to begin: a sequence, or nil for all that is kept; and why, where that is not what was asked for.
    private struct Start {
        var cursor: SequenceNumber?
        var reset: JSONValue?
    }

    private func start(_ after: String?, topic: Topic) async throws(Problem) -> Start {
        guard let after else { return Start() }
        // The head of the whole journal: nothing of any feed that is recorded from now on stands before it.
        if after == "now" { return Start(cursor: dashboard.board.feed.head(of: .board)) }
        guard let cursor = FeedCursor(after) else {
            throw .malformedQuery(
                "after", "must be the “next” of an answer, such as k3f9.1041, or “now”; leave it out to begin.")
        }
        guard cursor.epoch == dashboard.board.epoch else {
            return Start(reset: [
                "reason": "epoch",
                "detail":
                    "The cursor belongs to another history than this server's; the list has everything that is kept.",
            ])
        }
        // Of the feed of everything, what was out of sight before the cursor never came.
        guard topic != .board || cursor.part == part(of: topic) else {
            return Start(reset: [
                "reason": "audience",
                "detail":
                    "What you may see has changed since this cursor; the list has everything kept that you may see now.",
            ])
        }
        // A cursor of another feed of this history is as good: only beyond the whole journal nothing can be.
        guard await dashboard.board.mayBeRecorded(cursor.sequence) else {
            return Start(reset: [
                "reason": "future",
                "detail":
                    "The cursor is ahead of this history, which must have been restored; the list has everything that is kept.",
            ])
        }
        return Start(cursor: cursor.sequence)
    }

    /// Which part of the board is read; nil for the whole, and on other feeds, which are seen or not.
    private func part(of topic: Topic) -> String? { topic == .board ? dashboard.board.label : nil }

    private func topic(_ feed: String) async throws(Problem) -> Topic {
        switch Topic(feed) {
        case .board:
            guard !dashboard.permissions.isLink else { throw .unknownFeed(feed) }
            return .board
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
