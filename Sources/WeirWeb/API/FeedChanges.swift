import HTTPTypes
import Hummingbird
import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

/// Answers the API's request for a feed's changes after a cursor, oldest first; with `wait`, holds it until there is a change.
struct FeedChanges {
    static let limit = 500
    static let longestWait = 60

    let dashboard: AudienceDashboard

    /// Shortens a wait if each request identifies its principal, so that lost rights show as soon as in a held poll.
    static func bounded(_ wait: Int, _ right: HeldRight?) -> Int {
        right?.isOfRequest == true ? min(wait, Int(StreamEvents.shortLifetime / 1_000)) : wait
    }

    func list(_ feed: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let topic = try await topic(feed)
        let query = exchange.target.query
        let limit = try query.number("limit", 1...Self.limit) ?? Self.limit
        let preference = Self.wait(preferredBy: exchange.header(.prefer))
        let wait = Self.bounded(try query.number("wait", 0...Self.longestWait) ?? preference ?? 0, exchange.right)
        let mayWait = wait > 0 && exchange.request.method == .get
        var start = try await start(query["after"], topic: topic)
        var slice: ChangeSlice?
        if mayWait, start.cursor == nil, start.reset == nil {
            // A feed without recorded changes has no start; wait for the first change after the current head.
            let head = dashboard.board.feed.head(of: .board)
            slice = try await changes(of: topic, after: nil, limit: limit)
            if slice?.changes.isEmpty == true { (start.cursor, slice) = (head, nil) }
        }
        let isHeld = mayWait && start.cursor != nil && start.reset == nil
        if isHeld, let cursor = start.cursor {
            _ = await dashboard.pollResponder.wait(
                for: topic, after: cursor, atMost: Int64(wait) * 1_000, right: exchange.right)
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

    /// The position to read from: a sequence, or nil for the oldest change kept; `reset` says why it differs from the requested
    /// one.
    private struct Start {
        var cursor: SequenceNumber?
        var reset: JSONValue?
    }

    private func start(_ after: String?, topic: Topic) async throws(Problem) -> Start {
        guard let after else { return Start() }
        // The head of the whole journal precedes every later change of every feed.
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
        // A cursor of the board's feed skips changes that its audience could not see, so it is invalid for another audience.
        guard topic != .board || cursor.part == part(of: topic) else {
            return Start(reset: [
                "reason": "audience",
                "detail":
                    "What you may see has changed since this cursor; the list has everything kept that you may see now.",
            ])
        }
        // A cursor of another feed in this history is valid unless it is beyond the journal's end.
        guard await dashboard.board.mayBeRecorded(cursor.sequence) else {
            return Start(reset: [
                "reason": "future",
                "detail":
                    "The cursor is ahead of this history, which must have been restored; the list has everything that is kept.",
            ])
        }
        return Start(cursor: cursor.sequence)
    }

    /// The label of the audience's part of the board; nil for the whole board and for other feeds, which are visible as a
    /// whole.
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

    /// Returns the seconds of `Prefer: wait=N` (RFC 7240), clamped to `longestWait`; ignores invalid preferences.
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

extension Change {
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "sequence": .integer(sequence.rawValue), "stream": .string(stream.description),
            "revision": .integer(revision), "at": .string(at.description), "case": .string(state.caseName),
            "phase": .string(state.phase.rawValue), "progress": state.progressJSON, "state": state.payload,
            "transition": .bool(isTransition), "cause": draft.cause.map(JSONValue.string) ?? .null,
        ]
        switch stream {
        case .run: members["operation"] = .string(subject)
        case .store:
            members["store"] = .string(subject)
            members["step"] = (draft.step?.told).map(JSONValue.object)
        }
        return .object(members)
    }
}
