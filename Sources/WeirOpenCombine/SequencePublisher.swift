public import WeirFlows

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// An asynchronous sequence, which can throw, as a publisher.
///
/// Each subscriber iterates the sequence separately, in the scope; the next element is requested only while there is
/// demand. The publisher ends with exactly one of `.finished` and `.failure`, and with neither after the subscription
/// or the scope is cancelled.
public struct SequencePublisher<Elements: AsyncSequence & Sendable>: Publisher, Sendable
where Elements.Element: Sendable {
    /// The elements of the sequence.
    public typealias Output = Elements.Element
    /// The error of the sequence.
    public typealias Failure = any Error

    private let elements: Elements
    private let scope: FlowScope

    /// Publishes a sequence's elements.
    ///
    /// - Parameters:
    ///   - elements: the sequence.
    ///   - scope: where it is iterated, once for each subscriber.
    package init(_ elements: Elements, in scope: FlowScope) {
        self.elements = elements
        self.scope = scope
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: receives the elements.
    public func receive<Subscribing: Subscriber>(subscriber: Subscribing)
    where Subscribing.Input == Output, Subscribing.Failure == any Error {
        SequencePublisherSubscription(Downstream(subscriber)).begin(elements, scope)
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The sequence as a publisher that can fail.
    ///
    /// - Parameter scope: where it is iterated, once for each subscriber.
    /// - Returns: a publisher that any number of subscribers can attach to.
    public func publisher(in scope: FlowScope) -> SequencePublisher<Self> {
        SequencePublisher(self, in: scope)
    }
}
