/// A journal that several servers have open at a time: one of them records, the others follow it.
///
/// A server that follows reads everything, and appends only to the runs that are assigned to it. When the server that records
/// is gone, one of the others takes its place; from then on the journal refuses what the former one appends.
package protocol SharedJournal: Journal, CommandExchange, RunAssignments {
    /// This server's id among those that have the journal open.
    var node: String { get }
    /// Whether this server is the one that records.
    var isRecording: Bool { get }

    /// Says that this server is there and how it does; returns all that have said so, this one included, by their names.
    ///
    /// Called once a second. `forgetting` are the ids of servers that have been silent for so long that they are no
    /// longer listed.
    func beat(_ standing: NodeStanding, forgetting: [String]) async throws -> [JournalNode]
    /// Returns as soon as another server may have something for this one, and after at most a second: changes or answers for
    /// one that follows, commands for the one that records.
    ///
    /// Also returns at once when the connection is new: what came before may not have been noticed.
    func nextNotice() async throws
    /// Takes the place of the server that records.
    ///
    /// - Parameter silent: That server, if it has not left but fallen silent: its place is taken only if it has not said
    ///   anything since.
    /// - Returns: Whether this server records from now on.
    /// - Throws: `JournalError`: `corrupt` when the history that this server followed has ended, or `unavailable`.
    func takeOver(from silent: JournalNode?) async throws -> Bool
    /// Reads again what an operator should know, which another server may have changed.
    func rereadNotices() async throws
    /// How many lines of output each of these runs has; runs without lines are left out.
    func outputCounts(of runs: [String]) async throws -> [String: SequenceNumber]
}

/// A server that has a shared journal open, as it last described itself.
package struct JournalNode: Sendable, Hashable {
    /// Names it among all others, also after a restart.
    package let id: String
    /// What a person calls it.
    package let name: String
    /// How often it has said that it is there.
    package let beat: Int64
    /// Whether it is the one that records.
    package let isRecording: Bool
    /// How it does.
    package let standing: NodeStanding

    /// Creates a node from its parts.
    package init(id: String, name: String, beat: Int64, isRecording: Bool, standing: NodeStanding) {
        self.id = id
        self.name = name
        self.beat = beat
        self.isRecording = isRecording
        self.standing = standing
    }
}

/// How a server does that has a shared journal open.
package struct NodeStanding: Sendable, Hashable, Codable {
    /// The sequence of the last change that it shows.
    package var head = SequenceNumber.zero
    /// How many runs go on there.
    package var runs = 0
    /// How many look at its pages.
    package var viewers = 0
    /// The operations that run while watched and are watched there.
    package var watched: [String] = []
    /// Whether it carries out what others hand to it, once it records; nil for a server of an earlier version.
    package var takesCommands: Bool?
    /// The number by which it can be assigned runs; nil for a server that takes none.
    package var worker: Int64?

    /// Creates the standing of a server that has just begun.
    package init() {}
}
