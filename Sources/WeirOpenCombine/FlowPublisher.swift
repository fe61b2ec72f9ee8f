public import WeirFlows

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// A publisher of a state flow: Combine's on Apple systems, OpenCombine's elsewhere.
///
/// - A subscriber receives its subscription first, then values on demand: with no demand nothing is delivered, and with
///   later demand the latest value (conflated) or the next one (lossless).
/// - Values are delivered on the threads that write the flow, never two at once.
/// - The publisher finishes once, when the flow is sealed and everything pending was delivered, or when the buffer
///   overflowed. It does not finish after a cancel.
/// - A cancelled subscriber is released at once, with everything it holds.
public struct FlowPublisher<Output: Sendable>: Publisher, Sendable {
    /// State flows never fail: errors are states.
    public typealias Failure = Never

    private let values: StateValues<Output>

    init(_ values: StateValues<Output>) {
        self.values = values
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: receives the values.
    public func receive<Subscribing: Subscriber>(subscriber: Subscribing)
    where Subscribing.Input == Output, Subscribing.Failure == Never {
        FlowPublisherSubscription(Downstream(subscriber)).begin(values)
    }
}

extension StateFlow {
    /// Returns a publisher of the flow's values.
    ///
    /// - Parameter policy: the delivery to a subscriber that requests values more slowly than they are written.
    /// - Returns: a publisher that any number of subscribers can attach to.
    public func publisher(_ policy: DeliveryPolicy = .conflated) -> FlowPublisher<Value> {
        FlowPublisher(values(policy))
    }
}

/// A subscription to a ``FlowPublisher``.
///
/// It retains the subscriber, and the flow retains it, until the end. The flow delivers values to a subscriber on one
/// thread at a time, as Combine requires.
final class FlowPublisherSubscription<Input: Sendable>: Subscription, Sendable {
    private struct Ends {
        var downstream: Downstream<Input, Never>?
        var upstream: PacedSubscription?
    }

    private let ends: Locked<Ends>

    init(_ downstream: Downstream<Input, Never>) {
        ends = Locked(Ends(downstream: downstream))
    }

    func begin(_ values: StateValues<Input>) {
        let upstream = values.subscribePaced { [self] in
            give($0)
        } onEnd: { [self] _ in
            leave().downstream?.end(.finished)
        }
        ends.withLock { $0.upstream = upstream }
        downstream?.begin(self)
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let upstream = ends.withLock { $0.upstream }
        upstream?.request(demand.max ?? .max)
    }

    func cancel() {
        leave().upstream?.cancel()
    }

    private var downstream: Downstream<Input, Never>? { ends.withLock { $0.downstream } }

    private func give(_ value: Input) {
        if let more = downstream?.give(value) { request(more) }
    }

    /// Releases both ends; the second call returns nothing.
    private func leave() -> Ends {
        ends.withLock { ends in
            defer { ends = Ends() }
            return ends
        }
    }
}

/// A type-erased subscriber.
///
/// Combine's subscribers are not declared Sendable. Sending them is safe because a subscription calls its subscriber on
/// one thread at a time.
final class Downstream<Input, Failure: Error>: @unchecked Sendable {
    let begin: (any Subscription) -> Void
    let give: (Input) -> Subscribers.Demand
    let end: (Subscribers.Completion<Failure>) -> Void

    init<Subscribing: Subscriber>(_ subscriber: Subscribing)
    where Subscribing.Input == Input, Subscribing.Failure == Failure {
        begin = { subscriber.receive(subscription: $0) }
        give = { subscriber.receive($0) }
        end = { subscriber.receive(completion: $0) }
    }
}
