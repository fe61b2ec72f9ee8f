/// The record that a person deleted an ended run, which takes a place in the order of changes.
package struct RunDeletion: Sendable, Hashable, Codable {
    package let sequence: SequenceNumber
    package let run: String
    package let operation: String
    package let at: Timestamp
    package let actor: String

    package init(sequence: SequenceNumber, run: String, operation: String, at: Timestamp, actor: String) {
        self.sequence = sequence
        self.run = run
        self.operation = operation
        self.at = at
        self.actor = actor
    }
}

package enum RunDeletionOutcome: Sendable, Hashable, Codable {
    /// The run is deleted; its own deletion precedes those of the runs that were its steps.
    case deleted([RunDeletion])
    /// No run of that id is kept.
    case unknown
    /// This run, which is the requested one or a step of it, has not ended or is being imported.
    case active(String)
    /// The run is a step of another run, which is kept.
    case step(of: String)

    package var deletions: [RunDeletion] {
        guard case .deleted(let deletions) = self else { return [] }
        return deletions
    }
}

/// Decides on the deletion of a run with its steps, from the rows of any journal.
package struct RunFamily: Sendable {
    package struct Member: Sendable, Hashable {
        package let id: String
        package let operation: String
        package let opened: SequenceNumber
        let hasEnded: Bool
        /// The number of its changes.
        package let changes: Int64
        /// The run of steps that started it.
        let wholeRun: String?

        init(
            id: String, operation: String, opened: SequenceNumber, hasEnded: Bool, changes: Int64,
            idempotencyKey: String?
        ) {
            self.id = id
            self.operation = operation
            self.opened = opened
            self.hasEnded = hasEnded
            self.changes = changes
            wholeRun = RunOpening.wholeRun(ofKey: idempotencyKey)
        }
    }

    /// The run, then its steps; empty unless the run can be deleted.
    package let members: [Member]
    /// Why the run cannot be deleted.
    package let refusal: RunDeletionOutcome?

    /// Finds the members with `member`, which returns a kept run, and `steps`, which returns those that a run started.
    package init<Failure: Error>(
        of run: String, member: (String) throws(Failure) -> Member?, steps: (String) throws(Failure) -> [Member]
    ) throws(Failure) {
        guard let first = try member(run) else {
            (members, refusal) = ([], .unknown)
            return
        }
        if let whole = first.wholeRun, whole != run, try member(whole) != nil {
            (members, refusal) = ([], .step(of: whole))
            return
        }
        var found: [Member] = []
        var seen: Set<String> = [run]
        var waiting = [first]
        while let next = waiting.popLast() {
            found.append(next)
            // An import can contain runs that name each other.
            waiting += try steps(next.id).filter { seen.insert($0.id).inserted }
        }
        if let active = found.first(where: { !$0.hasEnded }) {
            (members, refusal) = ([], .active(active.id))
        } else {
            (members, refusal) = (found, nil)
        }
    }
}

extension RunOpening {
    /// The beginning of the idempotency keys of runs that a run of steps started.
    package static func stepKeys(of run: String) -> String { "step \(run) " }
}
