public import WeirStates

/// A run, derived by folding its changes.
public struct RunRecord: Sendable, Hashable {
    /// The run's id.
    public let id: String
    /// The id of the operation.
    public let operation: String
    package let opening: RunOpening
    /// The state of its last change.
    public internal(set) var state: StateRecord
    package internal(set) var cause: String?
    package internal(set) var revision: Int64
    package internal(set) var sequence: SequenceNumber
    /// The sequence of the first change, by which pages of runs are ordered.
    package let openedSequence: SequenceNumber
    /// When the run started.
    public let startedAt: Timestamp
    package internal(set) var changedAt: Timestamp
    /// When it ended; nil while it is active.
    public internal(set) var endedAt: Timestamp?
    /// The position of the first change in the journal it was imported from, if any.
    package let origin: ChangeOrigin?

    /// Starts the fold with a run's first change; nil for any other change.
    package init?(opening change: Change) {
        guard case .run(let id) = change.stream, let opening = change.draft.opening else { return nil }
        self.id = id
        self.opening = opening
        operation = change.subject
        openedSequence = change.sequence
        startedAt = change.at
        changedAt = change.at
        origin = change.origin
        state = change.state
        revision = change.revision
        sequence = change.sequence
        cause = change.draft.cause
        endedAt = change.state.phase.isEnded ? change.at : nil
    }

    package init(
        id: String, operation: String, opening: RunOpening, state: StateRecord, cause: String?, revision: Int64,
        sequence: SequenceNumber, openedSequence: SequenceNumber, startedAt: Timestamp, endedAt: Timestamp?,
        origin: ChangeOrigin? = nil, changedAt: Timestamp? = nil
    ) {
        self.id = id
        self.operation = operation
        self.opening = opening
        self.state = state
        self.cause = cause
        self.revision = revision
        self.sequence = sequence
        self.openedSequence = openedSequence
        self.startedAt = startedAt
        self.changedAt = changedAt ?? endedAt ?? startedAt
        self.endedAt = endedAt
        self.origin = origin
    }

    /// Folds in the next change of the same stream.
    package mutating func apply(_ change: Change) {
        state = change.state
        revision = change.revision
        sequence = change.sequence
        cause = change.draft.cause
        changedAt = change.at
        endedAt = change.state.phase.isEnded ? change.at : nil
    }
}

/// The parameters of a run, recorded with its first change.
package struct RunOpening: Sendable, Hashable {
    package let actor: String
    package let input: JSONValue
    package let retryOf: String?
    /// 1, or for a run that retries another, one more than that run's attempt.
    package let attempt: Int64
    package let idempotencyKey: String?

    /// The estimated duration, if earlier runs allow one.
    package var expected: RunEstimate?
    /// Set if a program elsewhere executes and reports the run; nil for a run started here.
    package let report: RunReport?

    package init(
        actor: String, input: JSONValue, retryOf: String? = nil, attempt: Int64 = 1, idempotencyKey: String? = nil,
        expected: RunEstimate? = nil, report: RunReport? = nil
    ) {
        self.actor = actor
        self.input = input
        self.retryOf = retryOf
        self.attempt = min(max(attempt, Self.attempts.lowerBound), Self.attempts.upperBound)
        self.idempotencyKey = idempotencyKey
        self.expected = expected
        self.report = report
    }

    /// The attempts that are counted; a later one has the number of the last.
    static let attempts: ClosedRange<Int64> = 1...1_000_000

    /// The parameters of a run that retries an earlier one.
    package init(actor: String, input: JSONValue, retrying run: RunRecord, idempotencyKey: String?) {
        self.init(
            actor: actor, input: input, retryOf: run.id, attempt: run.opening.attempt + 1,
            idempotencyKey: idempotencyKey)
    }
}

extension RunOpening {
    /// The run of steps that started this run, by its idempotency key.
    package var wholeRun: String? { Self.wholeRun(ofKey: idempotencyKey) }

    static func wholeRun(ofKey idempotencyKey: String?) -> String? {
        let words = idempotencyKey?.split(separator: " ") ?? []
        guard words.count == 4, words.first == "step" else { return nil }
        return words.dropFirst().first.map { String($0) }
    }
}

/// Marks a run that a program elsewhere executes and reports.
package struct RunReport: Sendable, Hashable {
    /// The display title, if the reporter sent one.
    package let title: String?

    package init(title: String? = nil) { self.title = title }
}
