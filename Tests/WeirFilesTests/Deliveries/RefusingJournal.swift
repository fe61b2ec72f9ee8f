import TestSupport
import WeirFlows
import WeirJournals

/// A journal in memory that can refuse to count the output of runs, and remove a run.
final class RefusingJournal: JournalProxy {
    let inner: any Journal = MemoryJournal(epoch: "testepoch0001")
    private let state = Locked<(refuses: Bool, refused: Int, removed: Set<String>)>((false, 0, []))

    /// How often it has refused.
    var refused: Int { state.withLock { $0.refused } }

    /// Whether it refuses from now on.
    func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    /// Keeps a run no more, as if it were removed right after its changes have been read.
    func remove(_ run: String) { state.withLock { _ = $0.removed.insert(run) } }

    func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) async throws -> RunPast? {
        guard !state.withLock({ $0.removed.contains(run) }) else { return nil }
        return try await inner.past(of: run, at: sequence, transitions: limit)
    }

    func outputCount(of run: String) async throws -> SequenceNumber {
        let refuses = state.withLock { state in
            if state.refuses { state.refused += 1 }
            return state.refuses
        }
        if refuses { throw JournalError(.unavailable, "The journal is away.") }
        return try await inner.outputCount(of: run)
    }
}
