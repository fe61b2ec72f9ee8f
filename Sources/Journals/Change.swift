public import States

/// One recorded step of a run or a store.
///
/// A journal is nothing but these, in order.
public struct Change: Sendable, Hashable {
    /// Its place in the whole journal, from 1, strictly increasing.
    ///
    /// The only cursor anyone holds.
    public let sequence: Int64
    /// What was recorded.
    public let draft: ChangeDraft
    /// Where it was recorded first, if it was imported from another journal.
    public let origin: ChangeOrigin?

    /// Makes a change of a draft and the place a journal gave it.
    public init(sequence: Int64, draft: ChangeDraft, origin: ChangeOrigin? = nil) {
        self.sequence = sequence
        self.draft = draft
        self.origin = origin
    }

    /// The run or store it belongs to.
    public var stream: StreamID { draft.stream }
    /// The operation or store it is about.
    public var subject: String { draft.subject }
    /// Its place in its own stream, from 0, without gaps.
    public var revision: Int64 { draft.revision }
    /// When it happened.
    public var at: Timestamp { draft.at }
    /// The state it led to.
    public var state: StateRecord { draft.state }
    /// Whether the case changed, rather than only its payload.
    public var isTransition: Bool { draft.isTransition }
}
