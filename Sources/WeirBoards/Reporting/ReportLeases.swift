import WeirJournals

/// The reported runs that are open, who counts for them, and how long nothing has been heard of their reporters.
///
/// Pure. Time goes by in beats, of which a lease has ``length``, or more where its reporter asks for it: a lease that is
/// renewed lasts for at least so many whole beats, and less than one longer.
struct ReportLeases: Sendable {
    private struct Lease {
        let operation: String
        /// What the run counts for; nil where it went on over a restart when there was no room for it.
        let claim: RunAdmission.Claim?
        var age = 0
        var length = ReportLeases.length
    }

    /// How many beats a lease lasts.
    static let length = 10

    private var leases: [String: Lease] = [:]
    private var admission: RunAdmission

    init(_ limits: RunLimits, operations: Int) { admission = RunAdmission(limits, operations: operations) }

    /// Divides the places among another number of operations.
    mutating func resize(operations: Int) { admission.resize(operations: operations) }

    /// How many runs are open.
    var count: Int { leases.count }

    /// Whether a run is open.
    func contains(_ run: String) -> Bool { leases[run] != nil }

    /// Makes room for a run that is about to be opened, or says why there is none; a run that has a place keeps it.
    mutating func open(_ run: String, _ claim: RunAdmission.Claim) -> RunAdmission.Refusal? {
        guard leases[run] == nil else { return nil }
        if let refusal = admission.admit(claim) { return refusal }
        leases[run] = Lease(operation: claim.operation, claim: claim)
        return nil
    }

    /// Takes up a run that was open when the last process stopped, whether or not there is room.
    mutating func resume(_ run: String, _ claim: RunAdmission.Claim) {
        guard leases[run] == nil else { return }
        let isCounted = admission.admit(claim) == nil
        leases[run] = Lease(operation: claim.operation, claim: isCounted ? claim : nil)
    }

    /// Something is heard of a run's reporter, who may ask for a lease of another length; it is never shorter than usual.
    mutating func renew(_ run: String, length: Int? = nil) {
        leases[run]?.age = 0
        if let length { leases[run]?.length = max(length, Self.length) }
    }

    /// A run is open no more, or was never opened.
    mutating func close(_ run: String) {
        if let claim = leases.removeValue(forKey: run)?.claim { admission.release(claim) }
    }

    /// A beat has gone by: the runs of whose reporters nothing was heard for too long, with their operations.
    ///
    /// They stay open, and come again with the next beat, until their end is recorded.
    mutating func beat() -> [(run: String, operation: String)] {
        var silent: [(run: String, operation: String)] = []
        for (run, lease) in leases {
            leases[run]?.age = lease.age + 1
            if lease.age >= lease.length { silent.append((run, lease.operation)) }
        }
        return silent.sorted { $0.run < $1.run }
    }
}
