import WeirJournals

/// Where a topic's publications are in the feed's ring.
struct TopicIndex: Sendable {
    /// The sequence of the topic's last change.
    var head: SequenceNumber
    /// The sequence of its last change that is no longer in the ring.
    var floor: SequenceNumber
    /// The places in the ring, oldest first.
    var places = RingBuffer<Int>()
}
