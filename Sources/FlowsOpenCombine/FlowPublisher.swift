public import Flows

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// A state flow as a publisher: Combine's on Apple systems, OpenCombine's elsewhere.
///
/// - A subscriber is given its subscription first, then values as it asks for them: with no demand nothing comes, and with
///   later demand the latest (conflated) or the next one (lossless).
/// - Values come on the threads that write the flow, never two at once.
/// - It finishes when the flow is sealed and everything pending was given, or the buffer overflowed; once, and not after a
///   cancel.
/// - A cancelled subscriber is let go at once, and so is everything it holds.
public struct FlowPublisher<Output: Sendable>: Publisher, Sendable {
    /// A state flow does not fail: errors are states.
    public typealias Failure = Never

    private let values: StateValues<Output>

    /// Publishes a flow's values.
    ///
    /// - Parameter values: the values, under the policy that suits the subscribers.
    public init(_ values: StateValues<Output>) {
        self.values = values
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: who is given the values.
    public func receive<Subscribing: Subscriber>(subscriber: Subscribing)
    where Subscribing.Input == Output, Subscribing.Failure == Never {
        FlowPublisherSubscription(Downstream(subscriber)).begin(values)
    }
}

extension StateFlow {
    /// The flow as a publisher.
    ///
    /// - Parameter policy: what a subscriber is given when values come faster than it asks for them.
    /// - Returns: a publisher that any number of subscribers can attach to.
    public func publisher(_ policy: DeliveryPolicy = .conflated) -> FlowPublisher<Value> {
        FlowPublisher(values(policy))
    }
}
