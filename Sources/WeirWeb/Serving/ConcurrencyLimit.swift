import WeirFlows

/// Limits concurrent work; further work is refused, not queued.
final class ConcurrencyLimit: Sendable {
    /// A permit to continue, until it is released or deinitialized.
    final class Slot: Sendable {
        private let limit: ConcurrencyLimit
        private let holder: String?
        private let isHeld = Locked(true)

        fileprivate init(_ limit: ConcurrencyLimit, _ holder: String?) { (self.limit, self.holder) = (limit, holder) }

        /// Releases the permit; further calls have no effect.
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

    let maximum: Int
    private let share: Int
    private let counts = Locked(Counts())

    init(_ maximum: Int, each share: Int = .max) { (self.maximum, self.share) = (maximum, share) }

    var taken: Int { counts.withLock { $0.all } }

    func isShareTaken(by holder: String) -> Bool { counts.withLock { ($0.byHolder[holder] ?? 0) >= share } }

    /// Returns a permit; nil if all are in use, or the holder has used its share.
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

extension WorkPool {
    /// Runs a long part of a request's work on the pool.
    ///
    /// Suspends until it is done. Throws the work's errors, and ``Problem/crowdedAnswers`` if the queue is full.
    func answer<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws(Problem) -> Result {
        do {
            return try await run(work)
        } catch let problem as Problem {
            throw problem
        } catch {
            // A cancelled request gets the same response, which its client does not receive.
            throw .crowdedAnswers
        }
    }
}
