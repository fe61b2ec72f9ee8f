import WeirFlows
import WeirJournals
import WeirStates

/// The runs that go on, by their ids, and how many more may begin.
final class LiveRuns: Sendable {
    private struct Core {
        var runs: [String: LiveRun] = [:]
        var admission: RunAdmission
        var claims: [String: RunAdmission.Claim] = [:]
        var isClosed = false

        mutating func release(_ run: String) {
            if let claim = claims.removeValue(forKey: run) { admission.release(claim) }
        }
    }

    private let core: Locked<Core>

    /// Holds runs to the limits, for a catalog of so many operations.
    init(_ limits: RunLimits, operations: Int) {
        core = Locked(Core(admission: RunAdmission(limits, operations: operations)))
    }

    /// Divides the places among another number of operations.
    func resize(operations: Int) { core.withLock { $0.admission.resize(operations: operations) } }

    subscript(id: String) -> LiveRun? { core.withLock { $0.runs[id] } }

    var count: Int { core.withLock { $0.runs.count } }

    /// How many are carried out here.
    var countHere: Int { core.withLock { $0.runs.values.count(where: \.isHere) } }

    var all: [LiveRun] { core.withLock { Array($0.runs.values) } }

    /// Whether no run may begin any more.
    var isClosed: Bool { core.withLock { $0.isClosed } }

    /// The run of an operation that an actor started under that key.
    func run(idempotencyKey key: String, operation: String, actor: String) -> LiveRun? {
        core.withLock { core in
            core.runs.values.first { run in
                let opening = run.request.opening
                return opening.idempotencyKey == key && run.operation == operation && opening.actor == actor
            }
        }
    }

    /// Takes a place for a run that is about to begin, until its end is recorded or the place is given back.
    ///
    /// Throws `overloaded` or `limitReached`.
    func takePlace(for run: String, _ claim: RunAdmission.Claim) throws(BoardError) {
        let refusal = core.withLock { core in
            let refusal = core.admission.admit(claim)
            if refusal == nil { core.claims[run] = claim }
            return refusal
        }
        if let refusal { throw BoardError(refusal, of: claim) }
    }

    /// Gives back the place of a run that does not begin.
    func giveBack(_ run: String) {
        core.withLock { $0.release(run) }
    }

    func add(_ run: LiveRun) { core.withLock { $0.runs[run.id] = run } }

    /// Lets no further run begin; the runs that go on.
    func close() -> [LiveRun] {
        core.withLock { core in
            core.isClosed = true
            return Array(core.runs.values)
        }
    }

    /// Tells the runs which of their changes were recorded.
    func recorded(_ change: Change) {
        guard case .run(let id) = change.stream, let run = self[id] else { return }
        if change.draft.opening != nil {
            run.output?.open()
            run.opened.resolve(change.sequence)
        }
        guard change.state.phase.isEnded else { return }
        core.withLock { core in
            core.runs[id] = nil
            core.release(id)
        }
        run.lastState.resolve(change.state)
        run.ended.resolve(change.sequence)
    }
}
