package import WeirStates

/// A result row of a database, with columns numbered from 0.
///
/// All database journals store runs and changes in the same columns, which ``JournalColumns`` lists and this protocol
/// decodes.
package protocol JournalRow {
    func isNull(_ column: Int32) -> Bool
    /// The integer, or 1 and 0 for Booleans; 0 for NULL.
    func integer(_ column: Int32) -> Int64
    /// The text; empty for NULL.
    func text(_ column: Int32) -> String
}

extension JournalRow {
    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

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
    func estimate(_ column: Int32) throws -> RunEstimate? {
        guard let text = optionalText(column) else { return nil }
        guard let estimate = RunEstimate(try JSONValue(parsing: text)) else {
            throw JournalError.damaged("an estimate")
        }
        return estimate
    }

    /// The report marker of a run; nil unless the run is reported.
    func report(_ column: Int32) -> RunReport? {
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

    /// A change, from ``JournalColumns/change``.
    package func change() throws -> Change {
        let stream: StreamID = isNull(6) ? .store(text(9)) : .run(text(6))
        let draft = ChangeDraft(
            stream: stream, subject: isNull(6) ? text(10) : text(7), revision: try revision(1), at: moment(2),
            state: try state(from: 11), isTransition: isTrue(3), cause: optionalText(4),
            opening: isNull(19) ? nil : try opening(from: 18), step: try step(17))
        let origin = isNull(5) ? nil : ChangeOrigin(epoch: text(8), sequence: try sequence(5))
        return Change(sequence: try sequence(0), draft: draft, origin: origin)
    }

    /// A deletion, from ``JournalColumns/deletion``.
    package func deletion() throws -> RunDeletion {
        RunDeletion(sequence: try sequence(0), run: text(1), operation: text(2), at: moment(3), actor: text(4))
    }

    /// A run that can be deleted, from ``JournalColumns/familyMember(importing:)``.
    package func familyMember() throws -> RunFamily.Member {
        RunFamily.Member(
            id: text(0), operation: text(1), opened: try sequence(2), hasEnded: isTrue(3),
            changes: try revision(4) + 1, idempotencyKey: optionalText(5))
    }

    /// A run, from ``JournalColumns/run``.
    package func run() throws -> RunRecord {
        let origin = try optionalText(7).map { ChangeOrigin(epoch: $0, sequence: try sequence(8)) }
        return RunRecord(
            id: text(1), operation: text(2), opening: try opening(from: 17), state: try state(from: 9),
            cause: optionalText(15), revision: try revision(3), sequence: try sequence(4),
            openedSequence: try sequence(0), startedAt: moment(5), endedAt: isNull(6) ? nil : moment(6),
            origin: origin, changedAt: moment(16))
    }

    /// The parameters of a run, from ``JournalColumns/opening``.
    private func opening(from column: Int32) throws -> RunOpening {
        RunOpening(
            actor: text(column), input: try JSONValue(parsing: text(column + 1)), retryOf: optionalText(column + 2),
            attempt: integer(column + 6), idempotencyKey: optionalText(column + 3), expected: try estimate(column + 4),
            report: report(column + 5))
    }

    private func step(_ column: Int32) throws -> StoreStep? {
        guard let text = optionalText(column) else { return nil }
        guard let step = StoreStep(json: try JSONValue(parsing: text)) else { throw JournalError.damaged("a step") }
        return step
    }
}

/// The columns that database journals select for runs and changes: of `runs r`, `changes c` and `f` (the run's last and
/// first change), `stores s`, and `names o` and `a` (the operation's and the actor's).
package enum JournalColumns {
    package static let run = """
        r.opened, r.id, o.name, r.revision, r.sequence, r.started, r.ended, r.epoch, f.origin, \(state), c.cause, c.at,
        \(opening(input: "r.input"))
        """

    /// A run's parameters belong to its first change.
    package static let change = """
        c.sequence, c.revision, c.at, c.transition, c.cause, c.origin, r.id, o.name, r.epoch, s.id, s.subject,
        \(state), c.step, \(opening(input: "CASE WHEN c.revision = 0 THEN r.input END"))
        """

    package static let deletion = "d.sequence, d.run, o.name, d.at, a.name"

    /// `importing` is the table with the streams of the open import.
    package static func familyMember(importing: String) -> String {
        """
        r.id, o.name, r.opened, r.ended IS NOT NULL AND r.opened NOT IN (SELECT stream FROM \(importing)), r.revision,
        r.idempotency_key
        """
    }

    private static let state = #"c."case", c.payload, c.phase, c.done, c.total, c.unit"#

    private static func opening(input: String) -> String {
        "a.name, \(input), r.retry_of, r.idempotency_key, r.expected, r.report" + adding { "r.\($0.name)" }
    }

    /// A number in a run's opening that a format after the first has added to `runs`.
    package struct Added: Sendable {
        package let name: String
        /// The value in runs of earlier versions.
        package let initial: Int64
        /// The value of a run that an earlier version records on PostgreSQL, where `t.retry` is the run that it retries.
        package let unset: String
        package let value: @Sendable (RunOpening) -> Int64
    }

    package static let added = [
        Added(
            name: "attempt", initial: 1,
            unset: "(SELECT x.attempt + 1 FROM weir.runs x WHERE x.id = t.retry), 1"
        ) { $0.attempt }
    ]

    /// A part of a statement for each added column, after a comma.
    package static func adding(_ part: (Added) -> String) -> String { added.map { ", " + part($0) }.joined() }
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

    static func unit(_ code: Int64) throws -> WorkProgress.Unit {
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
