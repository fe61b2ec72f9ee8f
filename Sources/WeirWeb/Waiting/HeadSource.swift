import WeirBoards
import WeirJournals

/// What waiting needs to know of a feed: where each topic's head is, when it moves, and whether it never will again.
protocol HeadSource: Sendable {
    /// The sequence of the topic's last change; 0 for none.
    func head(of topic: Topic) -> SequenceNumber
    /// Whether it is known that nothing follows the topic's head.
    func isEnded(_ topic: Topic) -> Bool
    /// Calls back after each change of the topic with the new head, and when the topic ends, until what is returned is let
    /// go.
    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable
}

extension VisibleFeed: HeadSource {
    /// Whether it is the output of a run that has ended: that moves no head, unlike a run's own last change.
    func isEnded(_ topic: Topic) -> Bool {
        guard case .output(let run) = topic else { return false }
        return output(of: run)?.isClosed ?? false
    }

    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable {
        observe(topic, after: nil, onPublish: onMove)
    }
}
