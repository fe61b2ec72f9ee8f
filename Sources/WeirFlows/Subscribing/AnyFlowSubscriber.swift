public import Synchronization

/// A subscriber of a flow with any type of values.
@usableFromInline
class AnyFlowSubscriber: @unchecked Sendable {
    @usableFromInline let left = Atomic(false)

    @usableFromInline
    init() {}

    /// Whether the subscriber has left; checked without the lock before each callback.
    @inlinable
    final var hasLeft: Bool { left.load(ordering: .acquiring) }

    /// Records that the subscriber leaves; returns false if it had already left.
    final func leave() -> Bool {
        !left.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Leaves the flow; a second call does nothing.
    @usableFromInline
    func cancel() {}

    /// Adds to the number of values that may be pushed.
    func request(_ count: Int) {}
}

/// Takes a subscriber's place on behalf of a task, or of anything else that can be cancelled.
final class CancellableSubscriber: AnyFlowSubscriber, @unchecked Sendable {
    private let onCancel: @Sendable () -> Void

    init(_ onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    override func cancel() {
        if leave() { onCancel() }
    }
}
