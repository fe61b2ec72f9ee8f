import WeirFlows

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

/// One subscriber of a ``SequencePublisher``, and the job that iterates for it.
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
