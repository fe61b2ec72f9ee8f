package import WeirStates

/// A row that a database gives back: what its columns hold, by their places from 0.
///
/// Every journal that is a database writes the parts of a change in the same form, which is read here.
package protocol JournalRow {
    /// Whether there is nothing in a column.
    func isNull(_ column: Int32) -> Bool
    /// A whole number, or 1 and 0 for true and false; 0 for null.
    func integer(_ column: Int32) -> Int64
    /// A text; empty for null.
    func text(_ column: Int32) -> String
}

extension JournalRow {
    /// A whole number; nil for null.
    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// A text; nil for null.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Whether a column holds true.
    package func isTrue(_ column: Int32) -> Bool { integer(column) == 1 }

    /// A place in the journal or in an output; throws for a number that is not one.
    package func sequence(_ column: Int32) throws -> SequenceNumber {
        guard let sequence = SequenceNumber(exactly: integer(column)) else {
            throw JournalError.damaged("the number \(integer(column)) as a place")
        }
        return sequence
    }

    /// A place in a stream, from 0; throws for a number that is not one.
    package func revision(_ column: Int32) throws -> Int64 { try sequence(column).rawValue }

    /// A moment.
    package func moment(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    /// How long a run may take, if that was recorded.
    package func estimate(_ column: Int32) throws -> RunEstimate? {
        guard let text = optionalText(column) else { return nil }
        guard let estimate = RunEstimate(try JSONValue(parsing: text)) else {
            throw JournalError.damaged("an estimate")
        }
        return estimate
    }

    /// Whether a run is reported, and its title.
    package func report(_ column: Int32) -> RunReport? {
        optionalText(column).map { RunReport(title: $0.isEmpty ? nil : $0) }
    }

    /// The state in six columns: case, payload, phase, done, total, unit.
    package func state(from column: Int32) throws -> StateRecord {
        let progress = try optionalInteger(column + 3).map { done in
            WorkProgress(done, of: optionalInteger(column + 4), unit: try JournalCode.unit(integer(column + 5)))
        }
        return StateRecord(
            caseName: text(column), payload: try JSONValue(parsing: text(column + 1)),
            phase: try JournalCode.phase(integer(column + 2)), progress: progress)
    }

    /// A change, in the columns of the query that every journal reads changes with: sequence, revision, moment, transition,
    /// cause, origin; a run's id, operation and epoch; a store's id and subject; the state in six; actor, input, retried
    /// run, idempotency key; step; estimate, report.
    package func change() throws -> Change {
        let stream: StreamID = isNull(6) ? .store(text(9)) : .run(text(6))
        let opening =
            isNull(18)
            ? nil
            : RunOpening(
                actor: text(17), input: try JSONValue(parsing: text(18)), retryOf: optionalText(19),
                idempotencyKey: optionalText(20), expected: try estimate(22), report: report(23))
        let draft = ChangeDraft(
            stream: stream, subject: isNull(6) ? text(10) : text(7), revision: try revision(1), at: moment(2),
            state: try state(from: 11), isTransition: isTrue(3), cause: optionalText(4), opening: opening,
            step: try step(21))
        let origin = isNull(5) ? nil : ChangeOrigin(epoch: text(8), sequence: try sequence(5))
        return Change(sequence: try sequence(0), draft: draft, origin: origin)
    }

    private func step(_ column: Int32) throws -> StoreStep? {
        guard let text = optionalText(column) else { return nil }
        guard let step = StoreStep(json: try JSONValue(parsing: text)) else { throw JournalError.damaged("a step") }
        return step
    }
}
