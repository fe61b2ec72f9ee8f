import WeirFlows
import WeirJournals
import WeirStates

/// What each operation's past says of how long its next run may take.
final class Estimates: Sendable {
    private let histories: Locked<[String: DurationHistory]>

    init(_ histories: [String: DurationHistory] = [:]) { self.histories = Locked(histories) }

    /// Learns from a run that has ended.
    func learn(from run: RunView) {
        histories.withLock { $0[run.record.operation, default: DurationHistory()].add(run) }
    }

    /// What a run of the operation that begins now is told; nil when there is nothing honest to say.
    func estimate(for operation: String) -> RunEstimate? {
        histories.withLock { $0[operation] }?.estimate()
    }
}

extension BoardLoader {
    /// What the last successes of each operation that were started here tell.
    func estimates() async throws -> Estimates {
        var histories: [String: DurationHistory] = [:]
        for entry in catalog.entries {
            let query = RunQuery(
                operation: entry.id, phase: .succeeded, isImported: false, limit: DurationHistory.kept)
            // Very long runs would take long to read, and end for other reasons than having come to their end.
            for record in try await journal.runs(query).runs.reversed() where record.revision < 5_000 {
                guard let run = try await journal.view(of: record.id, through: nil) else { continue }
                histories[entry.id, default: DurationHistory()].add(run)
            }
        }
        return Estimates(histories)
    }
}

extension RunOpening {
    /// The same with what the run may take.
    func expecting(_ expected: RunEstimate?) -> RunOpening {
        RunOpening(
            actor: actor, input: input, retryOf: retryOf, idempotencyKey: idempotencyKey, expected: expected,
            report: report)
    }
}
