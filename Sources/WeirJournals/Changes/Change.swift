package import WeirStates

/// One recorded step of a run or a store.
///
/// A journal consists of these, in order.
package struct Change: Sendable, Hashable {
    /// Its place in the whole journal, from 1, strictly increasing.
    ///
    /// The only cursor that exists.
    package let sequence: SequenceNumber
    /// What was recorded.
    package let draft: ChangeDraft
    /// Where it was first recorded, if it was imported from another journal.
    package let origin: ChangeOrigin?

    /// Creates a change from a draft and the place that a journal assigned.
    package init(sequence: SequenceNumber, draft: ChangeDraft, origin: ChangeOrigin? = nil) {
        self.sequence = sequence
        self.draft = draft
        self.origin = origin
    }

    /// The run or store it belongs to.
    package var stream: StreamID { draft.stream }
    /// The operation or store it is about.
    package var subject: String { draft.subject }
    /// Its place in its own stream, from 0, without gaps.
    package var revision: Int64 { draft.revision }
    /// When it happened.
    package var at: Timestamp { draft.at }
    /// The resulting state.
    package var state: StateRecord { draft.state }
    /// Whether the case changed, rather than only its payload.
    package var isTransition: Bool { draft.isTransition }
}

/// Where an imported change was first recorded.
///
/// Pages that show a change's place use it, to look the same in both journals.
package struct ChangeOrigin: Sendable, Hashable {
    /// The epoch of the journal that first recorded it.
    package let epoch: String
    /// The place it had there.
    package let sequence: SequenceNumber

    /// Creates a place in another journal.
    package init(epoch: String, sequence: SequenceNumber) {
        self.epoch = epoch
        self.sequence = sequence
    }
}
