import Synchronization

/// The memory that all bodies together may take while they arrive, or while their readers take them, so that many large ones
/// at once do not fill it.
final class BodyBudget: Sendable {
    /// How much of each body of a request does not count: small ones are read however many large ones arrive.
    static let free = 16 * 1_024
    /// How much of each body of an answer does not count: small ones are sent however many large ones wait for their readers.
    static let freeAnswer = 64 * 1_024

    /// What one body takes; given back when this goes.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let size = Atomic<Int>(0)

        fileprivate init(_ budget: BodyBudget) { self.budget = budget }

        /// Takes more; false, and takes nothing, when there is not so much left.
        func grow(by count: Int) -> Bool {
            let before = size.load(ordering: .relaxed)
            let (after, isOver) = before.addingReportingOverflow(count)
            guard !isOver, budget.take(max(0, after - max(before, budget.free))) else { return false }
            size.store(after, ordering: .relaxed)
            return true
        }

        deinit { budget.give(max(0, size.load(ordering: .relaxed) - budget.free)) }
    }

    private let limit: Int
    private let free: Int
    private let used = Atomic<Int>(0)

    /// Creates a budget with a number of bytes, and with how many of each body do not count.
    init(limit: Int, free: Int = BodyBudget.free) {
        self.limit = limit
        self.free = free
    }

    /// How many bytes are taken.
    var taken: Int { used.load(ordering: .relaxed) }

    /// Creates a share for one body, which is used by one task at a time.
    func share() -> Share { Share(self) }

    private func take(_ count: Int) -> Bool {
        guard count > 0 else { return true }
        let after = used.add(count, ordering: .relaxed).newValue
        guard after > limit else { return true }
        give(count)
        return false
    }

    private func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}
