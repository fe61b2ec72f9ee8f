import Synchronization

/// A subscriber's place in some flow, whatever its values are.
class AnySeat: @unchecked Sendable {
    private let left = Atomic(false)

    /// Whether the subscriber has left: asked without the lock before each callback.
    final var hasLeft: Bool { left.load(ordering: .acquiring) }

    /// Notes that the subscriber leaves; false when it had left before.
    final func leave() -> Bool {
        !left.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Leaves the flow; the second time nothing happens.
    func cancel() {}

    /// Adds to how many values may be pushed.
    func request(_ count: Int) {}
}
