import WeirBoards

/// Decides which messages are sent next, so that no receiver holds up messages to others.
///
/// Pure. Requests and programs have places of their own. Receivers of a kind take turns, and so do the queues of a receiver. A
/// receiver has at most ``perReceiver`` places. Receivers whose last attempt was slow share half of the places, so that the
/// other half is left to those that answer.
struct DeliveryTurns: Sendable {
    /// Where a message goes.
    enum Receiver: Sendable, Hashable {
        /// A server, as host and port.
        case server(String)
        /// A program with its arguments.
        case program([PathTemplate])
        /// None: the rule is not declared any more, or its address cannot be made. The attempt ends at once.
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
    }

    /// The maximum number of requests that are sent at once.
    static let requestPlaces = 16
    /// The maximum number of programs that run at once.
    static let programPlaces = 8
    /// The maximum number of messages that are sent to a receiver at once.
    static let perReceiver = 2

    private var sending: [String: Receiver] = [:]
    private var slow: Set<Receiver> = []
    private var turn: UInt64 = 0
    private var receiverTurns: [Receiver: UInt64] = [:]
    private var queueTurns: [DeliveryQueue: UInt64] = [:]

    /// The ids of the messages that are being sent.
    var inFlight: Set<String> { Set(sending.keys) }

    /// Chooses the messages that are due and have a place.
    ///
    /// - Parameters:
    ///   - heads: The head of each queue, without the messages that are being sent.
    ///   - now: The time in milliseconds since 1970.
    /// - Returns: The ids, in the order in which they are sent.
    mutating func begin(_ heads: [Head], now: Int64) -> [String] {
        forget(exceptOf: heads)
        var due = Dictionary(grouping: heads.filter { $0.nextAt <= now && sending[$0.id] == nil }, by: \.receiver)
        var begun: [String] = []
        while let head = due.filter({ hasPlace($0.key) }).flatMap(\.value).min(by: isEarlier) {
            due[head.receiver]?.removeAll { $0.id == head.id }
            turn &+= 1
            receiverTurns[head.receiver] = turn
            queueTurns[head.queue] = turn
            sending[head.id] = head.receiver
            begun.append(head.id)
        }
        return begun
    }

    /// Ends an attempt.
    ///
    /// - Parameters:
    ///   - id: The message.
    ///   - wasSlow: Whether the receiver was slow; nil if nothing was sent.
    mutating func end(_ id: String, wasSlow: Bool?) {
        guard let receiver = sending.removeValue(forKey: id), let wasSlow else { return }
        if wasSlow { slow.insert(receiver) } else { slow.remove(receiver) }
    }

    private func hasPlace(_ receiver: Receiver) -> Bool {
        let places = receiver.isProgram ? Self.programPlaces : Self.requestPlaces
        let others = sending.values.filter { $0.isProgram == receiver.isProgram }
        guard others.count < places, others.count(where: { $0 == receiver }) < Self.perReceiver else { return false }
        return !slow.contains(receiver) || others.count(where: slow.contains) < places / 2
    }

    /// Whether a message is sent before another: the one of the receiver, then of the queue, whose turn was longest ago.
    private func isEarlier(_ one: Head, _ other: Head) -> Bool {
        func rank(_ head: Head) -> (UInt64, UInt64, Int64, String) {
            (receiverTurns[head.receiver] ?? 0, queueTurns[head.queue] ?? 0, head.nextAt, head.id)
        }
        return rank(one) < rank(other)
    }

    /// Forgets receivers and queues without messages.
    private mutating func forget(exceptOf heads: [Head]) {
        let receivers = Set(heads.map(\.receiver)).union(sending.values)
        let queues = Set(heads.map(\.queue))
        slow.formIntersection(receivers)
        receiverTurns = receiverTurns.filter { receivers.contains($0.key) }
        queueTurns = queueTurns.filter { queues.contains($0.key) }
    }
}

/// The waiting messages of an operation by a rule.
struct DeliveryQueue: Sendable, Hashable {
    let operation: String
    /// The rule's name.
    let rule: String
}
