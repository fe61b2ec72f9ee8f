import Flows

/// Limits how many do something at a time; further ones are refused rather than kept waiting.
final class ConcurrencyLimit: Sendable {
    /// The right to continue; it ends when it is released, or when nobody holds it any more.
    final class Slot: Sendable {
        private let limit: ConcurrencyLimit
        private let isHeld = Locked(true)

        fileprivate init(_ limit: ConcurrencyLimit) { self.limit = limit }

        /// Lets another in; the first time counts.
        func release() {
            let wasHeld = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if wasHeld { limit.count.withLock { $0 -= 1 } }
        }

        deinit { release() }
    }

    /// How many may run at a time.
    let maximum: Int
    private let count = Locked(0)

    init(_ maximum: Int) { self.maximum = maximum }

    /// How many are running.
    var taken: Int { count.withLock { $0 } }

    /// A slot; nil if all are taken.
    func take() -> Slot? {
        let isFree = count.withLock { count in
            guard count < maximum else { return false }
            count += 1
            return true
        }
        return isFree ? Slot(self) : nil
    }
}
