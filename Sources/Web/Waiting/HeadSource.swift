import Boards
import Journals

/// What waiting needs to know of a feed: where each topic's head is, and when it moves.
protocol HeadSource: Sendable {
    /// The sequence of the topic's last change; 0 for none.
    func head(of topic: Topic) -> SequenceNumber
    /// Calls back after each change of the topic with the new head, until what is returned is let go.
    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable
}

extension VisibleFeed: HeadSource {
    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable {
        observe(topic, after: nil, onPublish: onMove)
    }
}
