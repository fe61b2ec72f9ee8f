import NIOCore

/// Which connections are released when all are taken.
///
/// First those of the address that has the most. Of one address first who asks nothing, then who is slow, then whose poll is
/// held, then whoever the server has been busy for a while; of each kind who has been so for longest. Nobody goes who was
/// opened or answered a moment ago, because it is about to ask.
enum Eviction {
    /// A connection as it is.
    struct Candidate: Sendable {
        let id: ObjectIdentifier
        let address: ConnectionAddress
        let activity: ConnectionMachine.Activity
    }

    /// For how long the server works for a request before its connection is asked to end behind the answer.
    static let patience: TimeAmount = .seconds(2)

    /// For how long a connection is let be that was just opened or answered.
    static let moment: TimeAmount = .seconds(1)

    /// The connections to let go so that so many end, the best first; those that are leaving already are some of them.
    static func choose(_ candidates: [Candidate], count: Int, now: NIODeadline) -> [Candidate] {
        let leaving = candidates.count { $0.activity == .leaving }
        var ranked: [(level: Int, rank: Int, since: NIODeadline, candidate: Candidate)] = []
        for all in Dictionary(grouping: candidates, by: \.address).values {
            let order = all.compactMap { candidate in
                rank(candidate.activity, now: now).map { (rank: $0.rank, since: $0.since, candidate: candidate) }
            }.sorted { ($0.rank, $0.since) < ($1.rank, $1.since) }
            // The nth to go of an address leaves it one fewer than the one before.
            for (index, each) in order.enumerated() {
                ranked.append((all.count - index, each.rank, each.since, each.candidate))
            }
        }
        ranked.sort { ($1.level, $0.rank, $0.since) < ($0.level, $1.rank, $1.since) }
        return ranked.prefix(max(0, count - leaving)).map(\.candidate)
    }

    private static func rank(
        _ activity: ConnectionMachine.Activity, now: NIODeadline
    ) -> (rank: Int, since: NIODeadline)? {
        switch activity {
        case .idle(let since): now - since >= moment ? (0, since) : nil
        case .slow(let since): (1, since)
        case .held(let since): (2, since)
        case .busy(let since): now - since >= patience ? (3, since) : nil
        case .leaving: nil
        }
    }
}
