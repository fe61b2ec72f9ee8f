public import Journals

/// The journal's tail in memory: what open pages are answered from, and what wakes those who wait.
///
/// A change is published here only after it was recorded. All methods return at once and may be called from anywhere.
public final class Feed: Sendable {
    init() {}

    /// The sequence of the topic's last change; 0 when it has none.
    public func head(of topic: Topic) -> Int64 { 0 }

    /// The sequence of the topic's last change that is no longer in memory; 0 while all are.
    public func floor(of topic: Topic) -> Int64 { 0 }

    /// The topic's publications after a cursor, oldest first, at most so many.
    public func slice(of topic: Topic, after: Int64, limit: Int) -> Slice { .none }

    /// The publication of that change, if it is in memory.
    public func publication(at sequence: Int64) -> Publication? { nil }

    /// Calls back after publications that belong to the topic, with the topic's new head.
    ///
    /// Never under a lock and never on two threads at once for one observation; publications that come while a call is
    /// going on are told by one further call, with the newest head. Registering and looking at the head are one step: if
    /// the head is beyond `after` already, the first call comes at once, from within this one.
    /// - Parameters:
    ///   - topic: What to follow.
    ///   - after: How far the caller has read; nil to be called for new publications only.
    ///   - onPublish: What to call.
    /// - Returns: What ends the calls when it is cancelled or dropped.
    public func observe(
        _ topic: Topic, after: Int64? = nil, onPublish: @escaping @Sendable (Int64) -> Void
    ) -> FeedObservation {
        FeedObservation {}
    }
}
