public import Journals

/// Whether what happens is being written down.
public enum RecordingStatus: Sendable, Hashable {
    /// All that happened is in the journal, or on its way there.
    case recording
    /// The journal has not taken anything since then, for that reason, a sentence for a person. What happens is kept in
    /// memory and recorded as soon as the journal works again; nothing of it is shown before.
    case notRecorded(since: Timestamp, reason: String)
}
