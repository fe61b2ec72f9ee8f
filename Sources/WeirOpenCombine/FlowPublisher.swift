public import WeirFlows

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// A state flow as a publisher: Combine's on Apple systems, OpenCombine's elsewhere.
///
/// - A subscriber receives its subscription first, then values on demand: with no demand nothing arrives, and with
///   later demand the latest value (conflated) or the next one (lossless).
/// - Values arrive on the threads that write the flow, never two at once.
/// - The publisher finishes once, when the flow is sealed and everything pending was delivered, or when the buffer
///   overflowed. It does not finish after a cancel.
/// - A cancelled subscriber is released at once, with everything it holds.
public struct FlowPublisher<Output: Sendable>: Publisher, Sendable {
    /// A state flow does not fail: errors are states.
    public typealias Failure = Never

    private let values: StateValues<Output>

    /// Publishes a flow's values.
    ///
    /// - Parameter values: the values, under the policy that suits the subscribers.
    package init(_ values: StateValues<Output>) {
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
    /// The flow as a publisher.
    ///
    /// - Parameter policy: what a subscriber receives when values arrive faster than it requests them.
    /// - Returns: a publisher that any number of subscribers can attach to.
    public func publisher(_ policy: DeliveryPolicy = .conflated) -> FlowPublisher<Value> {
        FlowPublisher(values(policy))
    }
}
