import Synchronization

/// The subscription of a callback, which ends when it is released.
///
/// Keep it as long as values are wanted, preferably in the object they are for: when that object is released, so is the
/// subscription. Cancelling twice has no further effect.
///
/// After ``cancel()`` no callback begins any more, neither for a value nor for an end; one that is running on another
/// thread completes. Whatever the callbacks hold is released with them.
public final class FlowSubscription: Sendable {
    // Unsafe memory: the subscription holds the reference and gives it up once.
    private let subscriber: Atomic<Unmanaged<AnyFlowSubscriber>?>

    init(_ subscriber: AnyFlowSubscriber) {
        self.subscriber = Atomic(.passRetained(subscriber))
    }

    /// Creates a subscription to something other than a flow.
    ///
    /// - Parameter onCancel: what cancelling does; called at most once, on the thread that cancels.
    package convenience init(_ onCancel: @escaping @Sendable () -> Void) {
        self.init(CancellableSubscriber(onCancel))
    }

    deinit {
        cancel()
    }

    /// Ends the subscription: no callback begins after this.
    ///
    /// Safe on any thread and inside the callback itself.
    public func cancel() {
        guard let subscriber = subscriber.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue() else {
            return
        }
        subscriber.cancel()
    }
}

/// Why a subscriber receives no more values.
public enum FlowEnd: Sendable, Hashable {
    /// The flow was sealed, and everything that was pending for this subscriber has been delivered.
    case finished
    /// The subscriber was cancelled: its task, its scope, or its subscription.
    case cancelled
    /// The subscriber's buffer was full under ``Overflow/fail``; this many values were not delivered.
    case overflowed(dropped: Int)
}
