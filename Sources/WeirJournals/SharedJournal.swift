/// A journal that several servers have open: one records, the others follow.
///
/// A following server reads everything, and appends only to runs that are assigned to it. If the recording server
/// disappears, another one takes over; from then on the journal refuses appends by the former one.
package protocol SharedJournal: Journal, CommandExchange, RunAssignments {
    /// This server's id among those that have the journal open.
    var node: String { get }
    var isRecording: Bool { get }

    /// Publishes that this server is alive, with its standing; returns all live servers, including this one, by name.
    ///
    /// Called once a second. `forgetting` lists the ids of servers to remove after a long silence.
    func beat(_ standing: NodeStanding, forgetting: [String]) async throws -> [JournalNode]
    /// Waits up to a second for a notification: of changes or answers for a following server, of commands for the
    /// recording one.
    ///
    /// Returns immediately on a new connection, because earlier notifications may be lost.
    func nextNotice() async throws
    /// Takes over recording.
    ///
    /// - Parameter silent: The recording server, if it fell silent without leaving; the takeover succeeds only if it
    ///   has not been heard from since.
    /// - Returns: Whether this server records from now on.
    /// - Throws: `JournalError`: `corrupt` if the history that this server followed has ended, or `unavailable`.
    func takeOver(from silent: JournalNode?) async throws -> Bool
    /// Reads the notices again, which another server may have changed.
    func rereadNotices() async throws
    /// The number of lines of output per run; runs without lines are omitted.
    func outputCounts(of runs: [String]) async throws -> [String: SequenceNumber]
}

/// A server that has a shared journal open, as it last described itself.
package struct JournalNode: Sendable, Hashable {
    /// A unique id, stable across restarts.
    package let id: String
    package let name: String
    /// The number of its heartbeats.
    package let beat: Int64
    package let isRecording: Bool
    package let standing: NodeStanding

    package init(id: String, name: String, beat: Int64, isRecording: Bool, standing: NodeStanding) {
        self.id = id
        self.name = name
        self.beat = beat
        self.isRecording = isRecording
        self.standing = standing
    }
}

/// The load and state of a server that has a shared journal open.
package struct NodeStanding: Sendable, Hashable, Codable {
    /// The sequence of the last change that it shows.
    package var head = SequenceNumber.zero
    package var runs = 0
    package var viewers = 0
    /// The operations that run while watched and have viewers on this server.
    package var watched: [String] = []
    /// Whether it executes commands of others when it records; nil for a server of an earlier version.
    package var takesCommands: Bool?
    /// Whether it stops showing deleted runs; nil for a server of an earlier version.
    package var forgetsDeletedRuns: Bool?
    /// The number by which it can be assigned runs; nil if it accepts none.
    package var worker: Int64?
    /// The fingerprint of its operation files, empty without files; nil for a server of an earlier version.
    package var catalog: String?

    package init() {}
}

/// The assignment of runs to servers that share a journal.
///
/// The recording server opens a run and can assign it to another server, which then appends the run's further changes
/// and output itself. The journal refuses appends to a run by a server that it is not assigned to.
package protocol RunAssignments: Sendable {
    /// The unique number by which this process can be assigned runs; nil without other servers.
    var worker: Int64? { get }

    /// Assigns an opened run to a server, or requests its executor to stop; for the recording server.
    ///
    /// An existing assignment is kept, and so is the first cause to stop.
    func assign(_ run: String, to worker: Int64, stopping cause: String?) async throws
    /// The assignments, ordered by their last changes.
    ///
    /// - Parameters:
    ///   - worker: The process; nil for all.
    ///   - place: Only assignments that changed after that place; zero for all.
    /// - Returns: The assignments.
    /// - Throws: `JournalError`.
    func assignments(of worker: Int64?, after place: Int64) async throws -> [RunAssignment]
    /// Revokes assignments, for the recording server: once this returns, appends by the former executors are refused.
    func release(_ runs: [String]) async throws
    /// Returns runs of this process whose ends and output are recorded.
    func giveBack(_ runs: [String]) async throws
}

package struct RunAssignment: Sendable, Hashable {
    package let run: String
    /// The number of the process that executes it.
    package let worker: Int64
    /// The cause to stop; nil unless a stop was requested.
    package let cause: String?
    /// The position among all assignments, by their last changes.
    package let place: Int64

    package init(run: String, worker: Int64, cause: String?, place: Int64) {
        self.run = run
        self.worker = worker
        self.cause = cause
        self.place = place
    }
}
