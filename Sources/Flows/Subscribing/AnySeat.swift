public import Synchronization

/// A subscriber's place in some flow, whatever its values are.
@usableFromInline
class AnySeat: @unchecked Sendable {
    @usableFromInline let left = Atomic(false)

    @usableFromInline
    init() {}

    /// Whether the subscriber has left: asked without the lock before each callback.
    @inlinable
    final var hasLeft: Bool { left.load(ordering: .acquiring) }

    /// Notes that the subscriber leaves; false when it had left before.
    final func leave() -> Bool {
        !left.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Leaves the flow; the second time nothing happens.
    @usableFromInline
    func cancel() {}

    /// Adds to how many values may be pushed.
    func request(_ count: Int) {}
}
