/// The sessions of all browsers that are signed in, by the hash of their secret.
///
/// Pure. A session ends when it was not used for as long as `idle`, at `maximum` after it began whatever happens, when its
/// person signs out or is removed, and when there are too many: then the one that was not used for longest.
package struct SessionTable: Sendable {
    /// How long sessions last, in milliseconds, and how many there are.
    package struct Limits: Hashable, Sendable {
        /// Without being used.
        package var idle: Int64 = 12 * 3_600_000
        /// In all.
        package var maximum: Int64 = 7 * 86_400_000
        /// Of one person.
        package var perPerson = 50
        /// Of all.
        package var count = 100_000
        package init() {}

        func isOver(_ session: SessionRecord, now: Int64) -> Bool {
            now - session.usedAt > idle || now - session.begunAt > maximum || now >= session.endsAt ?? .max
        }
    }

    private let limits: Limits
    package private(set) var sessions: [String: SessionRecord] = [:]

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The session of that hash, if it has not ended.
    package func session(_ hash: String, now: Int64) -> SessionRecord? {
        guard let session = sessions[hash], !limits.isOver(session, now: now) else { return nil }
        return session
    }

    /// How much later the next use of a session is noted, in milliseconds.
    private static let noted: Int64 = 60_000

    /// Until when a session goes on and none of its uses is noted; nil for one that there is not.
    func settled(_ hash: String) -> Int64? {
        guard let session = sessions[hash] else { return nil }
        func time(_ time: Int64, plus rest: Int64) -> Int64 {
            let (sum, isTooLate) = time.addingReportingOverflow(rest)
            return isTooLate ? .max : sum
        }
        return min(
            time(session.usedAt, plus: min(Self.noted, limits.idle)), time(session.begunAt, plus: limits.maximum),
            session.endsAt ?? .max)
    }

    /// Notes that a session is used; true when so much time has passed that it is worth keeping.
    package mutating func use(_ hash: String, now: Int64) -> Bool {
        guard let session = sessions[hash], now - session.usedAt >= Self.noted else { return false }
        sessions[hash]?.usedAt = now
        return true
    }

    /// Takes in a session; returns the hashes of those that had to end for it.
    package mutating func begin(_ session: SessionRecord, now: Int64) -> [String] {
        var ended = tidy(now: now)
        let own = sessions.values.filter { $0.person == session.person }.sorted { $0.usedAt < $1.usedAt }
        ended += own.dropLast(max(0, limits.perPerson - 1)).map(\.hash)
        if sessions.count >= limits.count, let oldest = sessions.values.min(by: { $0.usedAt < $1.usedAt }) {
            ended.append(oldest.hash)
        }
        for hash in ended { sessions[hash] = nil }
        sessions[session.hash] = session
        return ended
    }

    /// Ends all sessions of a kind; returns their hashes.
    package mutating func end(where isEnding: (SessionRecord) -> Bool) -> [String] {
        let ended = sessions.values.filter(isEnding).map(\.hash)
        for hash in ended { sessions[hash] = nil }
        return ended
    }

    /// Ends those that are over; returns their hashes.
    package mutating func tidy(now: Int64) -> [String] {
        let limits = limits
        return end { limits.isOver($0, now: now) }
    }

    /// Takes a session as it is stored; if it is here already, its last use here counts.
    package mutating func put(_ stored: SessionRecord) {
        let usedAt = max(stored.usedAt, sessions[stored.hash]?.usedAt ?? stored.usedAt)
        sessions[stored.hash] = stored
        sessions[stored.hash]?.usedAt = usedAt
    }
}
