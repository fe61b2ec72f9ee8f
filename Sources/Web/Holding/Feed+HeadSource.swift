import Boards
import Journals

extension Feed: HeadSource {
    func watchHead(of topic: Topic, onMove: @escaping @Sendable (Int64) -> Void) -> any Sendable {
        observe(topic, after: nil, onPublish: onMove)
    }
}
