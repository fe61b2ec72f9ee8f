import WeirFlows

/// Limits how many do something at a time; further ones are refused rather than kept waiting.
final class ConcurrencyLimit: Sendable {
    /// The right to continue; it ends when it is released, or when nobody holds it any more.
    final class Slot: Sendable {
        private let limit: ConcurrencyLimit
        private let holder: String?
        private let isHeld = Locked(true)

        fileprivate init(_ limit: ConcurrencyLimit, _ holder: String?) { (self.limit, self.holder) = (limit, holder) }

        /// Lets another in; the first time counts.
        func release() {
            let wasHeld = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if wasHeld { limit.counts.withLock { $0.remove(holder) } }
        }

        deinit { release() }
    }

    private struct Counts {
        var all = 0
        var byHolder: [String: Int] = [:]

        mutating func add(_ holder: String?) {
            all += 1
            if let holder { byHolder[holder, default: 0] += 1 }
        }

        mutating func remove(_ holder: String?) {
            all -= 1
            guard let holder else { return }
            let rest = (byHolder[holder] ?? 0) - 1
            byHolder[holder] = rest > 0 ? rest : nil
        }
    }

    /// How many may run at a time.
    let maximum: Int
    /// How many of them one holder may have.
    private let share: Int
    private let counts = Locked(Counts())

    init(_ maximum: Int, each share: Int = .max) { (self.maximum, self.share) = (maximum, share) }

    /// How many are running.
    var taken: Int { counts.withLock { $0.all } }

    /// Whether one holder has as many as one may have.
    func isShareTaken(by holder: String) -> Bool { counts.withLock { ($0.byHolder[holder] ?? 0) >= share } }

    /// A slot; nil if all are taken, or the holder, if there is one by name, has as many as one may have.
    func take(for holder: String? = nil) -> Slot? {
        let isFree = counts.withLock { counts in
            let own = holder.map { counts.byHolder[$0] ?? 0 } ?? 0
            guard counts.all < maximum, own < share else { return false }
            counts.add(holder)
            return true
        }
        return isFree ? Slot(self, holder) : nil
    }
}
