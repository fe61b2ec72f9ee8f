import WeirJournals

/// The servers of a journal, and how long each has been silent, counted in this server's own beats.
///
/// Pure. No clock is compared with another's: a server is silent for as many beats as this one, while connected, has seen no
/// new one of it.
struct NodeBook: Sendable {
    /// After how many beats a server that records is replaced.
    static let lease = 5
    /// For how many beats a server may be silent that is there.
    static let pause = 2
    /// After how many beats a server is no longer listed.
    static let memory = 60

    /// What is known of a server.
    struct Entry: Sendable, Hashable {
        let node: JournalNode
        /// For how many beats nothing new was heard of it.
        let silence: Int
        /// Whether it has said something since it was first listed.
        var isHeard = false
    }

    private(set) var entries: [Entry] = []

    /// Takes what one beat of this server's was answered.
    mutating func take(_ nodes: [JournalNode]) {
        let known = Dictionary(entries.map { ($0.node.id, $0) }) { $1 }
        entries = nodes.map { node in
            guard let before = known[node.id] else { return Entry(node: node, silence: 0) }
            guard before.node.beat == node.beat else { return Entry(node: node, silence: 0, isHeard: true) }
            return Entry(node: node, silence: min(before.silence + 1, Self.memory), isHeard: before.isHeard)
        }
    }

    /// This server was cut off: what it did not hear meanwhile says nothing about the others.
    mutating func wasCutOff() { entries = entries.map { Entry(node: $0.node, silence: 0, isHeard: $0.isHeard) } }

    /// The server that records.
    var recording: Entry? { entries.first { $0.node.isRecording } }

    /// The ids of those that have been silent for so long that nobody needs to know of them.
    var forgotten: [String] { entries.filter { $0.silence >= Self.memory }.map(\.node.id) }

    /// The ids of servers that are there: heard, and hardly silent.
    ///
    /// Only their commands are carried out: each withdraws its own when it has waited long enough, and a server that is gone
    /// withdraws nothing.
    var present: [String] { entries.filter { $0.isHeard && $0.silence <= Self.pause }.map(\.node.id) }

    /// The numbers of the processes that are not silent, by which runs are assigned to them.
    var workers: Set<Int64> { Set(entries.filter { $0.silence < Self.lease }.compactMap(\.node.standing.worker)) }

    /// The operations that are watched at others, by those who are not silent.
    func watched(besides id: String) -> Set<String> {
        Set(entries.filter { $0.node.id != id && $0.silence < Self.lease }.flatMap(\.node.standing.watched))
    }
}
