import Synchronization
import WeirFlows
import WeirJournals
import WeirPages

/// Checks templates and strings in the background after each change of them or of the catalog, and keeps the last result.
///
/// Nothing waits for a check: a later change abandons the one before at its next operation, and a shutdown leaves it behind.
final class TemplateChecks: Sendable {
    private struct State {
        var last: SystemFacts.Check?
        var task: Task<Void, Never>?
    }

    private let pool: WorkPool
    private let now: @Sendable () -> Timestamp
    private let onStep: @Sendable () -> Void
    private let state = Mutex(State())
    /// Counts the changes, read by a check without a lock.
    private let changes = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - pool: Runs the checks.
    ///   - now: The time of day.
    ///   - onStep: Called on the pool's thread between operations; for tests.
    init(
        on pool: WorkPool, now: @escaping @Sendable () -> Timestamp, onStep: @escaping @Sendable () -> Void = {}
    ) {
        self.pool = pool
        self.now = now
        self.onStep = onStep
    }

    /// The result for the templates in force; nil while they are being checked.
    var last: SystemFacts.Check? { state.withLock { $0.last } }

    /// Checks the templates of a renderer, and abandons the check before.
    ///
    /// - Parameters:
    ///   - renderer: The pages of the whole catalog.
    ///   - report: Called with the problems, unless the check was abandoned.
    func begin(_ renderer: PageRenderer, report: @escaping @Sendable ([TemplateProblem]) -> Void = { _ in }) {
        let change = changes.wrappingAdd(1, ordering: .relaxed).newValue
        let task = Task { [weak self, pool] in
            let problems = try? await pool.run { [weak self] in
                try renderer.check {
                    // The dashboard is gone.
                    guard let self else { throw CancellationError() }
                    try self.check(change)
                }
            }
            guard let problems, self?.take(problems, of: change) == true else { return }
            report(problems)
        }
        let abandoned = state.withLock { state in
            // Of two changes at once, the later one counts.
            guard change == changes.load(ordering: .relaxed) else { return Optional(task) }
            defer { state.task = task }
            state.last = nil
            return state.task
        }
        abandoned?.cancel()
    }

    /// Abandons the check that is under way.
    func abandon() {
        changes.wrappingAdd(1, ordering: .relaxed)
        state.withLock { $0.task }?.cancel()
    }

    /// Throws if another change has come since.
    private func check(_ change: UInt64) throws {
        onStep()
        if change != changes.load(ordering: .relaxed) { throw CancellationError() }
    }

    private func take(_ problems: [TemplateProblem], of change: UInt64) -> Bool {
        let at = now()
        return state.withLock { state in
            guard change == changes.load(ordering: .relaxed) else { return false }
            state.last = SystemFacts.Check(problems: problems, at: at)
            return true
        }
    }
}
