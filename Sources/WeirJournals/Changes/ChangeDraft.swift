package import WeirStates

/// A change that has no place in a journal yet.
package struct ChangeDraft: Sendable, Hashable {
    /// The run or store it belongs to.
    package let stream: StreamID
    /// The id of the operation or store it is about.
    package let subject: String
    /// Its place in its own stream, from 0, without gaps.
    package let revision: Int64
    /// When it happened.
    package let at: Timestamp
    /// The resulting state.
    package let state: StateRecord
    /// Whether the case changed (or this is the first change), rather than only its payload (a tick).
    package let isTransition: Bool
    /// Who or what caused it, if known: an actor, an action, `cancelled by operator`.
    package let cause: String?
    /// What the run was started with; with revision 0 of a run's stream and nowhere else.
    package let opening: RunOpening?
    /// The step that caused a store's change; with every change of a store's stream and with no other.
    package let step: StoreStep?

    /// Creates a draft.
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
    /// Throws unless this draft follows the last one of its stream; nil is a stream without changes.
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
    /// The end of a run that nothing executes any more, after the last change in its record.
    package static func interruption(of run: RunRecord, at moment: Timestamp, cause: EndCause) -> ChangeDraft {
        interruption(
            of: run.id, operation: run.operation, after: run.revision, in: run.state.caseName, at: moment, cause: cause)
    }

    /// The end of a run that nothing executes any more, after its last revision, which was in the given case.
    static func interruption(
        of run: String, operation: String, after revision: Int64, in caseName: String, at moment: Timestamp,
        cause: EndCause
    ) -> ChangeDraft {
        ChangeDraft(
            stream: .run(run), subject: operation, revision: revision + 1, at: moment,
            state: StateRecord(caseName: "interrupted", payload: ["last": .string(caseName)], phase: .interrupted),
            isTransition: true, cause: cause.description)
    }
}
