import Synchronization

/// One value to so many collectors: begins with the write, and ends when the last of them has it.
final class Round: @unchecked Sendable {
    private let remaining = Atomic(0)
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Waits until so many have arrived after the write.
    func run(_ count: Int, _ write: () -> Void) async {
        await withUnsafeContinuation { waiter in
            self.waiter = waiter
            remaining.store(count, ordering: .releasing)
            write()
        }
    }

    func arrive() {
        guard remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        waiter?.resume()
    }
}
