/// The sessions of all signed-in browsers, by hash of the secret.
///
/// A session ends after `idle` without use, at `maximum` after it began, when its person signs out or is removed, or when there
/// are too many sessions: then the least recently used one ends.
package struct SessionTable: Sendable {
    /// The limits of sessions; durations are in milliseconds.
    package struct Limits: Hashable, Sendable {
        /// The maximum time between uses.
        package var idle: Int64 = 12 * 3_600_000
        package var maximum: Int64 = 7 * 86_400_000
        var perPerson = 50
        var count = 100_000
        package init() {}

        /// A time that is as far in the future is from a clock that was wrong.
        func isOver(_ session: SessionRecord, now: Int64) -> Bool {
            (now &- session.usedAt).magnitude > idle.magnitude || (now &- session.begunAt).magnitude > maximum.magnitude
                || now >= session.endsAt ?? .max
        }
    }

    private let limits: Limits
    private(set) var sessions: [String: SessionRecord] = [:]

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The session with the given hash, unless it has ended.
    func session(_ hash: String, now: Int64) -> SessionRecord? {
        guard let session = sessions[hash], !limits.isOver(session, now: now) else { return nil }
        return session
    }

    /// The interval in which uses of a session are recorded once, in milliseconds.
    private static let noted: Int64 = 60_000

    /// The time until which the session stays valid and no use needs recording; nil if it does not exist.
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

    /// Records a use; returns true if the last recorded one is old enough that the use should be stored.
    mutating func use(_ hash: String, now: Int64) -> Bool {
        guard let session = sessions[hash], now - session.usedAt >= Self.noted else { return false }
        sessions[hash]?.usedAt = now
        return true
    }

    /// Adds a session; returns the hashes of the sessions ended to make room.
    mutating func begin(_ session: SessionRecord, now: Int64) -> [String] {
        var ended = tidy(now: now)
        let own = sessions.values.filter { $0.person.key == session.person.key }.sorted { $0.usedAt < $1.usedAt }
        ended += own.dropLast(max(0, limits.perPerson - 1)).map(\.hash)
        if sessions.count >= limits.count, let oldest = sessions.values.min(by: { $0.usedAt < $1.usedAt }) {
            ended.append(oldest.hash)
        }
        for hash in ended { sessions[hash] = nil }
        sessions[session.hash] = session
        return ended
    }

    mutating func end(where isEnding: (SessionRecord) -> Bool) -> [String] {
        let ended = sessions.values.filter(isEnding).map(\.hash)
        for hash in ended { sessions[hash] = nil }
        return ended
    }

    /// Ends expired sessions; returns their hashes.
    mutating func tidy(now: Int64) -> [String] {
        let limits = limits
        return end { limits.isOver($0, now: now) }
    }

    /// Adds a session from the storage, keeping the later last use.
    mutating func put(_ stored: SessionRecord) {
        let usedAt = max(stored.usedAt, sessions[stored.hash]?.usedAt ?? stored.usedAt)
        sessions[stored.hash] = stored
        sessions[stored.hash]?.usedAt = usedAt
    }
}
