import WeirBoards

/// Schedules messages fairly, so that no receiver delays messages to others.
///
/// Pure. Requests and programs have separate places. Receivers of a kind take turns, as do the queues of a receiver. A receiver
/// uses at most ``perReceiver`` places. Receivers whose last attempt was slow share half of the places, so that the other half
/// stays available.
struct DeliveryTurns: Sendable {
    enum Receiver: Sendable, Hashable {
        /// A server, as host and port.
        case server(String)
        case program([PathTemplate])
        /// None: the rule is no longer declared, or its address is invalid. The attempt fails at once.
        case none(DeliveryQueue)

        fileprivate var isProgram: Bool {
            guard case .program = self else { return false }
            return true
        }
    }

    /// The message of a queue that is due first.
    struct Head: Sendable, Hashable {
        let id: String
        let queue: DeliveryQueue
        let nextAt: Int64
        let receiver: Receiver
        /// Whether it waits while another message of its queue is sent.
        var isInOrder = false
    }

    static let requestPlaces = 16
    static let programPlaces = 8
    static let perReceiver = 2

    private var sending: [String: Head] = [:]
    private var slow: Set<Receiver> = []
    private var turn: UInt64 = 0
    private var receiverTurns: [Receiver: UInt64] = [:]
    private var queueTurns: [DeliveryQueue: UInt64] = [:]

    var inFlight: Set<String> { Set(sending.keys) }

    /// Selects the due messages that have a place, and returns their ids in order of sending.
    ///
    /// `heads` has the head of each queue, without messages in flight. `now` is in milliseconds since 1970.
    mutating func begin(_ heads: [Head], now: Int64) -> [String] {
        forget(exceptOf: heads)
        var due = Dictionary(grouping: heads.filter { $0.nextAt <= now && sending[$0.id] == nil }, by: \.receiver)
        var begun: [String] = []
        while let head = due.filter({ hasPlace($0.key) }).flatMap(\.value).filter(hasTurn).min(by: isEarlier) {
            due[head.receiver]?.removeAll { $0.id == head.id }
            turn &+= 1
            receiverTurns[head.receiver] = turn
            queueTurns[head.queue] = turn
            sending[head.id] = head
            begun.append(head.id)
        }
        return begun
    }

    /// Ends an attempt; `wasSlow` is nil if nothing was sent.
    mutating func end(_ id: String, wasSlow: Bool?) {
        guard let receiver = sending.removeValue(forKey: id)?.receiver, let wasSlow else { return }
        if wasSlow { slow.insert(receiver) } else { slow.remove(receiver) }
    }

    private func hasPlace(_ receiver: Receiver) -> Bool {
        let places = receiver.isProgram ? Self.programPlaces : Self.requestPlaces
        let others = sending.values.map(\.receiver).filter { $0.isProgram == receiver.isProgram }
        guard others.count < places, others.count(where: { $0 == receiver }) < Self.perReceiver else { return false }
        return !slow.contains(receiver) || others.count(where: slow.contains) < places / 2
    }

    private func hasTurn(_ head: Head) -> Bool {
        !head.isInOrder || !sending.values.contains { $0.queue == head.queue }
    }

    /// Orders messages by the least recently served receiver, then by the least recently served queue.
    private func isEarlier(_ one: Head, _ other: Head) -> Bool {
        func rank(_ head: Head) -> (UInt64, UInt64, Int64, String) {
            (receiverTurns[head.receiver] ?? 0, queueTurns[head.queue] ?? 0, head.nextAt, head.id)
        }
        return rank(one) < rank(other)
    }

    private mutating func forget(exceptOf heads: [Head]) {
        let receivers = Set(heads.map(\.receiver)).union(sending.values.map(\.receiver))
        let queues = Set(heads.map(\.queue))
        slow.formIntersection(receivers)
        receiverTurns = receiverTurns.filter { receivers.contains($0.key) }
        queueTurns = queueTurns.filter { queues.contains($0.key) }
    }
}

struct DeliveryQueue: Sendable, Hashable {
    let operation: String
    let rule: String
}
