import Synchronization

/// A callback subscriber's place in a flow: it ends when this goes.
///
/// Keep it as long as values are wanted, best in the object they are for: when that object goes, so does the
/// subscription. Cancelling twice does nothing more.
///
/// After ``cancel()`` no callback begins any more, neither a value nor an end; one that is running on another thread
/// runs to its end. Whatever the callbacks hold is let go with them.
public final class FlowSubscription: Sendable {
    private let seat: Atomic<Unmanaged<AnySeat>?>

    init(_ seat: AnySeat) {
        self.seat = Atomic(.passRetained(seat))
    }

    /// Makes a subscription that stands for something else than a place in a flow.
    ///
    /// - Parameter onCancel: what cancelling does; it is called once at most, on the thread that cancels.
    package convenience init(_ onCancel: @escaping @Sendable () -> Void) {
        self.init(CancellingSeat(onCancel))
    }

    deinit {
        cancel()
    }

    /// Ends the subscription: no callback begins after this.
    ///
    /// Safe on any thread and from within the callback itself.
    public func cancel() {
        guard let seat = seat.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue() else { return }
        seat.cancel()
    }
}
