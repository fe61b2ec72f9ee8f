import Flows
import Journals
import States

/// The runs that go on, by their ids.
final class LiveRuns: Sendable {
    private struct Core {
        var runs: [String: LiveRun] = [:]
        var isClosed = false
    }

    private let core = Locked(Core())

    subscript(id: String) -> LiveRun? { core.withLock { $0.runs[id] } }

    var count: Int { core.withLock { $0.runs.count } }

    var all: [LiveRun] { core.withLock { Array($0.runs.values) } }

    /// Whether no run may begin any more.
    var isClosed: Bool { core.withLock { $0.isClosed } }

    /// The run that was started under that key.
    func run(idempotencyKey key: String) -> LiveRun? {
        core.withLock { core in core.runs.values.first { $0.request.opening.idempotencyKey == key } }
    }

    func add(_ run: LiveRun) { core.withLock { $0.runs[run.id] = run } }

    /// Lets no further run begin; the runs that go on.
    func close() -> [LiveRun] {
        core.withLock { core in
            core.isClosed = true
            return Array(core.runs.values)
        }
    }

    /// Tells the runs which of their changes were recorded.
    func recorded(_ change: Change) {
        guard case .run(let id) = change.stream, let run = self[id] else { return }
        if change.draft.opening != nil {
            run.output?.open()
            run.opened.resolve(change.sequence)
        }
        guard change.state.phase.isEnded else { return }
        core.withLock { $0.runs[id] = nil }
        run.opened.resolve(change.sequence)
        run.ended.resolve(change.sequence)
    }
}
