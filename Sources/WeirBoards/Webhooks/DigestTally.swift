package import WeirJournals
import WeirStates

/// What happened since the last digest, in counts and ids of bounded size.
package struct DigestTally: Sendable, Hashable, Codable {
    package struct Counts: Sendable, Hashable, Codable {
        package var failed = 0
        package var interrupted = 0
        package var recovered = 0
        /// The newest run that failed or was interrupted; without one, the newest that recovered.
        package var run = ""

        package var unsuccessful: Int { failed + interrupted }
    }

    package struct Missed: Sendable, Hashable, Codable {
        package let operation: String
        package let sentence: String
    }

    /// The maximum numbers of operations and of missed starts with details.
    private static let (operationLimit, missedLimit) = (200, 50)
    private static let sentenceLimit = 300

    package let since: Timestamp
    /// The number of runs that ended.
    package private(set) var ended = 0
    package private(set) var operations: [String: Counts] = [:]
    /// The sum over all operations, also over those without details.
    package private(set) var total = Counts()
    package private(set) var missed: [Missed] = []
    package private(set) var missedCount = 0

    init(since: Timestamp) { self.since = since }

    /// Whether there can be further operations, without details.
    package var isFull: Bool { operations.count >= Self.operationLimit }

    func adding(_ events: [NotificationEvent], of operation: String, run: String) -> DigestTally {
        var tally = self
        tally.ended += 1
        guard let event = events.first, [.failed, .interrupted, .recovered].contains(event) else { return tally }
        tally.total.add(event, run)
        if operations[operation] != nil || operations.count < Self.operationLimit {
            tally.operations[operation, default: Counts()].add(event, run)
        }
        return tally
    }

    func adding(_ starts: [MissedStart]) -> DigestTally {
        var tally = self
        tally.missedCount += starts.count
        let more = starts.map {
            Missed(operation: $0.operation, sentence: $0.sentence.cut(to: Self.sentenceLimit, .utf16))
        }
        tally.missed = Array((missed + more).prefix(Self.missedLimit))
        return tally
    }
}

extension DigestTally.Counts {
    fileprivate mutating func add(_ event: NotificationEvent, _ id: String) {
        switch event {
        case .failed: failed += 1
        case .interrupted: interrupted += 1
        default:
            recovered += 1
            if unsuccessful > 0 { return }
        }
        run = id
    }
}
