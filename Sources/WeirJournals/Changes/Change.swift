package import WeirStates

/// A recorded change of a run or a store; a journal is an ordered list of changes.
package struct Change: Sendable, Hashable {
    /// The position in the whole journal, from 1, strictly increasing; the only cursor.
    package let sequence: SequenceNumber
    package let draft: ChangeDraft
    /// The position in the journal it was imported from, if any.
    package let origin: ChangeOrigin?

    package init(sequence: SequenceNumber, draft: ChangeDraft, origin: ChangeOrigin? = nil) {
        self.sequence = sequence
        self.draft = draft
        self.origin = origin
    }

    package var stream: StreamID { draft.stream }
    package var subject: String { draft.subject }
    package var revision: Int64 { draft.revision }
    package var at: Timestamp { draft.at }
    package var state: StateRecord { draft.state }
    package var isTransition: Bool { draft.isTransition }
}

/// The position at which an imported change was first recorded.
///
/// Pages display it, so that they look the same in both journals.
package struct ChangeOrigin: Sendable, Hashable {
    package let epoch: String
    package let sequence: SequenceNumber
}

/// A change without a position in a journal.
package struct ChangeDraft: Sendable, Hashable {
    package let stream: StreamID
    /// The id of the operation or store.
    package let subject: String
    /// The position in the stream, from 0, without gaps.
    package let revision: Int64
    package let at: Timestamp
    package let state: StateRecord
    /// Whether the case changed (or this is the first change), rather than only its payload (a tick).
    package let isTransition: Bool
    /// The actor, action or other cause, if known, such as `cancelled by operator`.
    package let cause: String?
    /// The parameters of the run; present only on revision 0 of a run's stream.
    package let opening: RunOpening?
    /// The step of a store; present on every change of a store's stream and on no other.
    package let step: StoreStep?

    package init(
        stream: StreamID, subject: String, revision: Int64, at: Timestamp, state: StateRecord, isTransition: Bool,
        cause: String? = nil, opening: RunOpening? = nil, step: StoreStep? = nil
    ) {
        self.stream = stream
        self.subject = subject
        self.revision = revision
        self.at = at
        self.state = state
        self.isTransition = isTransition
        self.cause = cause
        self.opening = opening
        self.step = step
    }
}

extension ChangeDraft {
    /// Throws unless this draft follows the last one of its stream, which is nil for an empty stream.
    package func check(follows last: (revision: Int64, subject: String)?) throws(JournalError) {
        guard revision == (last?.revision ?? -1).addingReportingOverflow(1).partialValue else {
            let before = last.map { "revision \($0.revision)" } ?? "nothing"
            throw JournalError(.outOfOrder, "Revision \(revision) of \(stream) does not follow \(before).")
        }
        guard last?.subject ?? subject == subject else {
            throw JournalError(.outOfOrder, "Revision \(revision) of \(stream) is about another subject.")
        }
        let needsOpening = if case .run = stream { revision == 0 } else { false }
        guard needsOpening == (opening != nil) else {
            let mistake = needsOpening ? "begins without an opening" : "has an opening although it has already begun"
            throw JournalError(.outOfOrder, "Revision \(revision) of \(stream) \(mistake).")
        }
        let needsStep = if case .store = stream { true } else { false }
        guard needsStep == (step != nil) else {
            let mistake = needsStep ? "has no step" : "has a step, which only stores have"
            throw JournalError(.outOfOrder, "Revision \(revision) of \(stream) \(mistake).")
        }
    }
}

extension ChangeDraft {
    /// The end of an abandoned run, after the last change in its record.
    package static func interruption(of run: RunRecord, at moment: Timestamp, cause: EndCause) -> ChangeDraft {
        interruption(
            of: run.id, operation: run.operation, after: run.revision, in: run.state.caseName, at: moment, cause: cause)
    }

    /// The end of an abandoned run, after its last revision and case.
    static func interruption(
        of run: String, operation: String, after revision: Int64, in caseName: String, at moment: Timestamp,
        cause: EndCause
    ) -> ChangeDraft {
        ChangeDraft(
            stream: .run(run), subject: operation, revision: revision + 1, at: moment,
            state: .interrupted(after: caseName), isTransition: true, cause: cause.description)
    }
}

extension StateRecord {
    package static func interrupted(after caseName: String) -> StateRecord {
        StateRecord(caseName: "interrupted", payload: ["last": .string(caseName)], phase: .interrupted)
    }
}
