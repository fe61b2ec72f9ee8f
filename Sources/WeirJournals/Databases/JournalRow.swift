package import WeirStates

/// A result row of a database, with columns numbered from 0.
///
/// All database journals store a change in the same columns, which this protocol decodes.
package protocol JournalRow {
    func isNull(_ column: Int32) -> Bool
    /// The integer, or 1 and 0 for Booleans; 0 for NULL.
    func integer(_ column: Int32) -> Int64
    /// The text; empty for NULL.
    func text(_ column: Int32) -> String
}

extension JournalRow {
    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    package func isTrue(_ column: Int32) -> Bool { integer(column) == 1 }

    /// A sequence or line number; throws if it is out of range.
    package func sequence(_ column: Int32) throws -> SequenceNumber {
        guard let sequence = SequenceNumber(exactly: integer(column)) else {
            throw JournalError.damaged("the number \(integer(column)) as a place")
        }
        return sequence
    }

    /// A revision; throws if it is out of range.
    package func revision(_ column: Int32) throws -> Int64 { try sequence(column).rawValue }

    package func moment(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    /// The estimated duration of a run, if it was recorded.
    package func estimate(_ column: Int32) throws -> RunEstimate? {
        guard let text = optionalText(column) else { return nil }
        guard let estimate = RunEstimate(try JSONValue(parsing: text)) else {
            throw JournalError.damaged("an estimate")
        }
        return estimate
    }

    /// The report marker of a run; nil unless the run is reported.
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

    /// A change, from the columns of the common query: sequence, revision, moment, transition, cause, origin; a run's
    /// id, operation and epoch; a store's id and subject; the state in six; actor, input, retried run, idempotency
    /// key; step; estimate, report.
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

/// The integer codes of enumerations in database journals; see `JournalSchema` and `PostgresSchema`.
package enum JournalCode {
    package static func code(of phase: Phase) -> Int64 {
        switch phase {
        case .idle: 0
        case .active: 1
        case .succeeded: 2
        case .failed: 3
        case .cancelled: 4
        case .interrupted: 5
        }
    }

    package static func code(of unit: WorkProgress.Unit) -> Int64 {
        switch unit {
        case .bytes: 0
        case .items: 1
        case .percent: 2
        }
    }

    package static func code(of channel: OutputChannel) -> Int64 {
        switch channel {
        case .notice: 0
        case .standardOutput: 1
        case .standardError: 2
        }
    }

    package static func phase(_ code: Int64) throws -> Phase {
        switch code {
        case 0: .idle
        case 1: .active
        case 2: .succeeded
        case 3: .failed
        case 4: .cancelled
        case 5: .interrupted
        default: throw JournalError.damaged("phase \(code)")
        }
    }

    package static func unit(_ code: Int64) throws -> WorkProgress.Unit {
        switch code {
        case 0: .bytes
        case 1: .items
        case 2: .percent
        default: throw JournalError.damaged("unit \(code)")
        }
    }

    package static func channel(_ code: Int64) throws -> OutputChannel {
        switch code {
        case 0: .notice
        case 1: .standardOutput
        case 2: .standardError
        default: throw JournalError.damaged("channel \(code)")
        }
    }
}
