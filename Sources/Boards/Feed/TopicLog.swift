/// Where a topic's publications are in the feed's ring.
struct TopicLog: Sendable {
    /// The sequence of the topic's last change.
    var head: Int64
    /// The sequence of its last change that is no longer in the ring.
    var floor: Int64
    /// The places in the ring, oldest first.
    var places = Ring<Int>()
}
