import Hummingbird
import Synchronization
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirTelemetry

struct SystemPage {
    let dashboard: AudienceDashboard

    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        let board = dashboard.board
        let counts: [RunCount]
        let size: Int64?
        do {
            counts = try await board.counts()
            size = try await board.journalSize()
        } catch {
            throw Problem(error)
        }
        let view = board.view()
        var facts: [SystemFacts.Fact] = [
            .init("version", .text(dashboard.configuration.version)),
            .init("startedAt", .moment(dashboard.startedAt)),
            .init("epoch", .text(board.epoch)),
            .init("sequence", .count(view.sequence.rawValue)),
            .init("recording", .flag(board.recording == .recording)),
            .init("viewers", .count(Int64(board.viewers(of: .board)))),
            .init("heldPolls", .count(Int64(dashboard.holds.count))),
            .init("activeRuns", .count(Int64(view.operations.reduce(0) { $0 + $1.activeRuns }))),
            .init("mountPath", .text(dashboard.mount.description)),
        ]
        if let removal = board.announcedRemoval.value {
            facts += [.init("removal", .count(Int64(removal.runs))), .init("removalDue", .moment(removal.due))]
        }
        if let place = board.journalPlace { facts.append(.init("journalPlace", .text(place))) }
        if let size { facts.append(.init("journal", .bytes(size))) }
        if let host = exchange.request.head.authority { facts.append(.init("host", .text(host))) }
        facts += dashboard.configuration.backups?.standing.facts ?? []
        if let memory = ProcessUsage.residentBytes() { facts.append(.init("memory", .bytes(memory))) }
        var check = dashboard.checks.last
        // The check covers the whole catalog, so restricted audiences see only counts.
        let seesAll = dashboard.permissions.allowsEverywhere(.see)
        if !seesAll { check = check?.counted }
        var system = SystemFacts(
            facts: facts, counts: counts, check: check, nodes: board.nodes,
            conditions: seesAll ? dashboard.configuration.conditions?() ?? [] : [], readings: readings())
        system.hooks = await HookPages(dashboard: dashboard).serverContent()
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer, system] in
            renderer.system(system, frame: frame)
        }
    }
}

extension SystemPage {
    /// The parts of a day in a line: ten minutes each.
    private static let parts = 144

    private func readings() -> [SystemFacts.Reading] {
        guard let history = dashboard.configuration.history else { return [] }
        let now = dashboard.clock.wall
        return SystemHistory.Reading.allCases.compactMap { kind in
            guard let value = history.latest(kind, now: now) else { return nil }
            // Waiting times are sampled in seconds and shown from milliseconds.
            let scale = kind == .oldestQueued ? 1_000.0 : 1
            var reading = SystemFacts.Reading(
                kind.rawValue, Self.value(value * scale, of: kind),
                parts: history.parts(kind, count: Self.parts, now: now).map { $0.map { $0 * scale } })
            if let limit = limit(of: kind), limit > 0, limit.isFinite {
                reading.limit = Self.value(limit, of: kind)
                reading.share = value / limit
            }
            if kind == .disk { reading.end = history.end(of: kind, now: now).map { Timestamp(milliseconds: $0) } }
            return reading
        }
    }

    private func limit(of kind: SystemHistory.Reading) -> Double? {
        switch kind {
        case .files: return ProcessUsage.maximumFiles()
        case .heldPolls: return Double(dashboard.configuration.maximumHolds)
        case .activeRuns: return dashboard.configuration.maximumActiveRuns.map(Double.init)
        default: return nil
        }
    }

    private static func value(_ value: Double, of kind: SystemHistory.Reading) -> SystemFacts.Fact.Value {
        let whole = Int64(exactly: value.rounded()) ?? 0
        return switch kind {
        case .memory, .disk, .journal: .bytes(whole)
        case .cpu: .fraction(value)
        case .oldestQueued: .duration(whole)
        default: .count(whole)
        }
    }
}

/// Checks templates and strings in the background after each change of them or of the catalog, and keeps the last result.
///
/// Nothing waits for a check: a later change cancels it at its next operation, and a shutdown does not wait for it.
final class TemplateChecks: Sendable {
    private struct State {
        var last: SystemFacts.Check?
        var task: Task<Void, any Error>?
    }

    private let pool: WorkPool
    private let now: @Sendable () -> Timestamp
    private let onStep: @Sendable () -> Void
    /// The time after which a check is tried again if too much other work waits.
    private let pause: Duration
    private let state = Mutex(State())
    /// The number of changes, which a check reads without a lock.
    private let changes = Atomic<UInt64>(0)

    /// Creates an idle checker; tests use `onStep`, which is called on the pool's thread between operations.
    init(
        on pool: WorkPool, pause: Duration = .seconds(1), now: @escaping @Sendable () -> Timestamp,
        onStep: @escaping @Sendable () -> Void = {}
    ) {
        self.pause = pause
        self.pool = pool
        self.now = now
        self.onStep = onStep
    }

    /// The result for the current templates, or nil while a check is running.
    var last: SystemFacts.Check? { state.withLock { $0.last } }

    /// Starts a check of the whole catalog's templates and cancels the previous one; a cancelled check does not call `report`.
    func begin(_ renderer: PageRenderer, report: @escaping @Sendable ([TemplateProblem]) -> Void = { _ in }) {
        let change = changes.wrappingAdd(1, ordering: .relaxed).newValue
        let task = Task { [weak self, pool, pause] in
            let check = { @Sendable [weak self] in
                try renderer.check(trustsBundled: true) {
                    guard let self else { throw CancellationError() }
                    try self.check(change)
                }
            }
            var problems: [TemplateProblem]?
            while problems == nil {
                do {
                    problems = try await pool.run(check)
                } catch is WorkPool.Busy {
                    try await Task.sleep(for: pause)
                }
            }
            guard let problems, self?.take(problems, of: change) == true else { return }
            report(problems)
        }
        let abandoned = state.withLock { state in
            // Of two concurrent changes, the later one wins.
            guard change == changes.load(ordering: .relaxed) else { return Optional(task) }
            defer { state.task = task }
            state.last = nil
            return state.task
        }
        abandoned?.cancel()
    }

    func abandon() {
        changes.wrappingAdd(1, ordering: .relaxed)
        state.withLock { $0.task }?.cancel()
    }

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
