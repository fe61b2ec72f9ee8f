public import WeirFlows

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// A publisher of a throwing asynchronous sequence.
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

    init(_ elements: Elements, in scope: FlowScope) {
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
    /// Returns a publisher of the sequence's elements, which can fail.
    ///
    /// - Parameter scope: where it is iterated, once for each subscriber.
    /// - Returns: a publisher that any number of subscribers can attach to.
    public func publisher(in scope: FlowScope) -> SequencePublisher<Self> {
        SequencePublisher(self, in: scope)
    }
}

/// A subscription to a ``SequencePublisher``, with the job that iterates the sequence.
final class SequencePublisherSubscription<Input: Sendable>: Subscription, Sendable {
    private struct Ends {
        var downstream: Downstream<Input, any Error>?
        var job: FlowJob?
    }

    private let ends: Locked<Ends>
    private let demand = MutableStateFlow(0)

    init(_ downstream: Downstream<Input, any Error>) {
        ends = Locked(Ends(downstream: downstream))
    }

    func begin<Elements: AsyncSequence & Sendable>(_ elements: Elements, _ scope: FlowScope)
    where Elements.Element == Input {
        downstream?.begin(self)
        let job = scope.launch { [self] in await iterate(elements) }
        let isOver = ends.withLock { ends in
            if ends.downstream != nil { ends.job = job }
            return ends.downstream == nil
        }
        if isOver { job.cancel() }
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        self.demand.update {
            $0.addingReportingOverflow(demand.max ?? .max).overflow ? .max : $0 + (demand.max ?? .max)
        }
    }

    func cancel() {
        leave().job?.cancel()
    }

    private var downstream: Downstream<Input, any Error>? { ends.withLock { $0.downstream } }

    private func iterate<Elements: AsyncSequence>(_ elements: Elements) async
    where Elements.Element == Input {
        do {
            var iterator = elements.makeAsyncIterator()
            while await demand.first(where: { $0 > 0 }) != nil, let element = try await iterator.next(isolation: nil) {
                demand.update { $0 == .max ? $0 : $0 - 1 }
                guard !Task.isCancelled, let downstream else { break }
                request(downstream.give(element))
            }
            end(.finished)
        } catch {
            end(.failure(error))
        }
    }

    private func end(_ completion: Subscribers.Completion<any Error>) {
        if !Task.isCancelled { leave().downstream?.end(completion) }
    }

    /// Releases both ends; the second call returns nothing.
    private func leave() -> Ends {
        ends.withLock { ends in
            defer { ends = Ends() }
            return ends
        }
    }
}
