import NIOConcurrencyHelpers
import WeirJournals

@testable import WeirWeb

/// A feed's heads, moved by hand.
final class ManualHead: HeadSource {
    private struct State {
        var heads: [Topic: SequenceNumber] = [:]
        var ended: Set<Topic> = []
        var observers: [Topic: [Int: @Sendable (SequenceNumber) -> Void]] = [:]
        var last = 0
    }

    private final class Observation: Sendable {
        let end: @Sendable () -> Void
        init(end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    private let state = NIOLockedValueBox(State())

    func head(of topic: Topic) -> SequenceNumber { state.withLockedValue { $0.heads[topic] ?? 0 } }

    func isEnded(_ topic: Topic) -> Bool { state.withLockedValue { $0.ended.contains(topic) } }

    /// Says that nothing follows.
    func end(_ topic: Topic) {
        let observers = state.withLockedValue { state in
            state.ended.insert(topic)
            return Array((state.observers[topic] ?? [:]).values)
        }
        for observer in observers { observer(head(of: topic)) }
    }

    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable {
        let id = state.withLockedValue { state in
            state.last += 1
            state.observers[topic, default: [:]][state.last] = onMove
            return state.last
        }
        return Observation { [weak self] in self?.state.withLockedValue { $0.observers[topic]?[id] = nil } }
    }

    var observerCount: Int { state.withLockedValue { $0.observers.values.reduce(0) { $0 + $1.count } } }

    func publish(_ topic: Topic, _ head: SequenceNumber) {
        let observers = state.withLockedValue { state in
            state.heads[topic] = head
            return Array((state.observers[topic] ?? [:]).values)
        }
        for observer in observers { observer(head) }
    }
}
