import WeirFlows

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

/// A subscriber that writes down what it is given, and asks for what it is told to.
final class ManualSubscriber<Input: Sendable, Failure: Error>: Subscriber, Sendable {
    private struct State {
        var events: [String] = []
        var subscription: (any Subscription)?
    }

    private let state: Locked<State>
    private let heard = MutableStateFlow(0)
    private let answer: Int
    private let onValue: @Sendable (ManualSubscriber, Input) -> Void

    /// Makes a subscriber that asks for so many more values each time it is given one.
    init(answer: Int = 0, onValue: @escaping @Sendable (ManualSubscriber, Input) -> Void = { _, _ in }) {
        state = Locked(State())
        self.answer = answer
        self.onValue = onValue
    }

    var events: [String] { state.withLock { $0.events } }

    /// Waits until at least so much was heard.
    func events(atLeast count: Int) async -> [String] {
        _ = await heard.first { $0 >= count }
        return events
    }

    func request(_ demand: Subscribers.Demand) {
        subscription?.request(demand)
    }

    func cancel() {
        subscription?.cancel()
    }

    func receive(subscription: any Subscription) {
        nonisolated(unsafe) let subscription = subscription
        state.withLock { $0.subscription = subscription }
        note("subscription")
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        note("\(input)")
        onValue(self, input)
        return .max(answer)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: note("finished")
        case .failure(let error): note("failure \(error)")
        }
    }

    private var subscription: (any Subscription)? {
        nonisolated(unsafe) var found: (any Subscription)?
        state.withLock { found = $0.subscription }
        return found
    }

    private func note(_ event: String) {
        state.withLock { $0.events.append(event) }
        heard.update { $0 + 1 }
    }
}
