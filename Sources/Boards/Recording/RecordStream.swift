import States

/// What the queue knows of one stream that is being recorded.
struct RecordStream: Sendable {
    /// The operation or store it is about.
    let subject: String
    /// The state that came last, whether or not it was queued.
    var last: StateRecord
    /// The revision of the next change to be taken.
    var revision: Int64 = 0
    /// A tick that came too soon after the one before.
    var held: RecordEntry?
    /// The place of the stream's newest entry if that is a tick, which a newer tick may still replace.
    var tick: Int?
    /// Whether the last state is an end.
    var hasEnded = false
}
