import Synchronization

/// The subscription of a callback, which ends when it is released.
///
/// Retain it as long as values are wanted, preferably in the object that uses them. Cancelling twice has no further
/// effect.
///
/// After ``cancel()`` no callback begins, neither for a value nor for an end; one that runs on another thread
/// completes. Cancelling releases the callbacks.
public final class FlowSubscription: Sendable {
    // Unsafe memory: the subscription holds the reference and gives it up once.
    private let subscriber: Atomic<Unmanaged<AnyFlowSubscriber>?>

    init(_ subscriber: AnyFlowSubscriber) {
        self.subscriber = Atomic(.passRetained(subscriber))
    }

    /// Creates a subscription to something other than a flow.
    ///
    /// - Parameter onCancel: called at most once, on the thread that cancels.
    convenience init(_ onCancel: @escaping @Sendable () -> Void) {
        self.init(CancellableSubscriber(onCancel))
    }

    deinit {
        cancel()
    }

    /// Ends the subscription: no callback begins after this.
    ///
    /// It can be called on any thread and inside the callback.
    public func cancel() {
        guard let subscriber = subscriber.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue() else {
            return
        }
        subscriber.cancel()
    }
}

/// Why a subscriber receives no more values.
public enum FlowEnd: Sendable, Hashable {
    /// The flow was sealed, and everything pending for this subscriber was delivered.
    case finished
    /// The subscriber was cancelled: its task, its scope, or its subscription.
    case cancelled
    /// The subscriber's buffer was full under ``Overflow/fail``; this many values were not delivered.
    case overflowed(dropped: Int)
}

/// The subscription of a callback that requests a number of values.
///
/// Unlike ``FlowSubscription`` it does not end when it is released, only by ``cancel()`` or the flow's end: the
/// object it calls back usually retains it.
package struct PacedSubscription: Sendable {
    let subscriber: AnyFlowSubscriber

    /// Requests more values; `Int.max` removes the limit.
    ///
    /// Pending values are delivered before this returns, unless another thread is delivering to this subscriber.
    package func request(_ count: Int) {
        subscriber.request(count)
    }

    package func cancel() {
        subscriber.cancel()
    }
}

extension StateValues {
    /// Calls back with as many values as were requested; the end follows once everything pending was delivered.
    ///
    /// - Parameters:
    ///   - onValue: handles a value; never called before one was requested.
    ///   - onEnd: called once when there are no more values.
    /// - Returns: the subscription, with nothing requested yet.
    package func subscribePaced(
        onValue: @escaping @Sendable (Value) -> Void, onEnd: @escaping @Sendable (FlowEnd) -> Void
    ) -> PacedSubscription {
        PacedSubscription(subscriber: push(demand: 0, onValue, onEnd))
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Calls back with each value, and once when the sequence ends or throws.
    ///
    /// Callbacks never overlap. After ``FlowSubscription/cancel()``, or once the scope is cancelled, no callback
    /// begins, and neither end is reported.
    ///
    /// - Parameters:
    ///   - scope: where the sequence is iterated.
    ///   - onEach: called with each value.
    ///   - onComplete: called when the sequence ended.
    ///   - onThrow: called when the sequence failed; `onComplete` is not called then.
    /// - Returns: the subscription, which ends when it is released.
    public func subscribe(
        in scope: FlowScope, onEach: @escaping @Sendable (Element) -> Void,
        onComplete: @escaping @Sendable () -> Void = {}, onThrow: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> FlowSubscription {
        let subscriber = AnyFlowSubscriber()
        let job = scope.launch {
            do {
                for try await value in self {
                    if subscriber.hasLeft || Task.isCancelled { return }
                    onEach(value)
                }
                if !Task.isCancelled, subscriber.leave() { onComplete() }
            } catch {
                if !Task.isCancelled, subscriber.leave() { onThrow(error) }
            }
        }
        return FlowSubscription {
            _ = subscriber.leave()
            job.cancel()
        }
    }
}
