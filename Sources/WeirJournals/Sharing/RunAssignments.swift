/// Which server carries out which run, where several share a journal.
///
/// The server that records opens a run and lets another one carry it out, which appends the run's further changes and its
/// output itself. What a server appends to a run that is not, or no longer, its own is refused.
package protocol RunAssignments: Sendable {
    /// The number by which this process can be assigned runs; another one's never.
    ///
    /// Nil where there are no other servers.
    var worker: Int64? { get }

    /// Lets a server carry out a run whose opening is recorded, or asks the one that does to stop; for the server that
    /// records.
    ///
    /// A run that is assigned already stays with whom it is; the first cause to stop it stays, too.
    func assign(_ run: String, to worker: Int64, stopping cause: String?) async throws
    /// The assignments, in the order of their last changes.
    ///
    /// - Parameters:
    ///   - worker: Whose; nil for everybody's.
    ///   - place: Only those that have changed after that place; zero for all.
    /// - Returns: The assignments.
    /// - Throws: `JournalError`.
    func assignments(of worker: Int64?, after place: Int64) async throws -> [RunAssignment]
    /// Takes runs away from those who carried them out, for the server that records: nothing that these append to them is
    /// recorded once this returns.
    func release(_ runs: [String]) async throws
    /// Gives back runs of this process whose ends and output are recorded.
    func giveBack(_ runs: [String]) async throws
}

/// A run that a server carries out for another one.
package struct RunAssignment: Sendable, Hashable {
    /// The run's id.
    package let run: String
    /// The number of the process that carries it out.
    package let worker: Int64
    /// Why it is to stop; nil unless it is.
    package let cause: String?
    /// Its place among all assignments, by their last changes.
    package let place: Int64

    /// Creates an assignment from its parts.
    package init(run: String, worker: Int64, cause: String?, place: Int64) {
        self.run = run
        self.worker = worker
        self.cause = cause
        self.place = place
    }
}
