import WeirFlows

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

/// One subscriber of a ``FlowPublisher``.
///
/// It holds the subscriber until the end, and the flow holds it until then. The flow delivers values to one subscriber
/// on one thread at a time, as subscribers may expect.
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
