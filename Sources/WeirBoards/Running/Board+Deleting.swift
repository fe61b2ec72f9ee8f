import Logging
import WeirAccess
import WeirFlows
import WeirJournals
import WeirStates

extension Board {
    /// Deletes an ended run and the runs of its steps: their input, states, output and kept files.
    ///
    /// Returns once no server of this process's journal returns them to a new reader, and the rows and this server's
    /// files are removed.
    /// - Parameters:
    ///   - run: The run's id.
    ///   - actor: The actor who deletes the run; the deletion records it.
    /// - Returns: The run, and the sequence of the last deletion.
    /// - Throws: `unknownRun`, `removedRun`, `deletedRun`, `stillRunning` for a run that has not ended, `stepOfRun` for
    ///   a step of a kept run, and `unavailable`, also while a server of an earlier version uses the journal.
    package func delete(_ run: String, actor: String) async throws(BoardError) -> StartReceipt {
        if follows { return try await handOver(.delete(run: run, actor: actor)).startReceipt }
        try requireRecording()
        try requireForgettingServers()
        guard runs[run] == nil else { throw .deletesEnded(run) }
        let outcome: RunDeletionOutcome
        do {
            outcome = try await recorder.whileNothingIsRecorded { [journal, now] in
                // A retry reads the values of the steps that it took over.
                if let retry = try await journal.unfinishedRetry(of: run) { return .active(retry) }
                return try await journal.delete(run, by: actor, at: now())
            }
        } catch is CancellationError {
            throw .shuttingDown
        } catch {
            throw .unreadable(error)
        }
        switch outcome {
        case .deleted(let deletions):
            await Self.removeArtifacts(of: deletions.map(\.run), in: artifacts)
            return StartReceipt(run: run, sequence: deletions.last?.sequence, isNew: true)
        case .unknown: throw await missing(run)
        case .active(let active): throw .deletesEnded(active)
        case .step(let whole): throw BoardError(.stepOfRun, .deletesWhole, ["id": BoardError.short(whole)])
        }
    }

    /// Throws if a server of an earlier version would continue to show a deleted run.
    private func requireForgettingServers() throws(BoardError) {
        let others = nodes.filter { !$0.isThis && !$0.isSilent && $0.node.standing.forgetsDeletedRuns != true }
        guard !others.isEmpty else { return }
        throw BoardError(.unavailable, .othersShowDeleted, ["servers": .all(others.map(\.node.name))])
    }

    /// Deletes what an interrupted deletion has left; otherwise retention does that.
    func finishDeletions() {
        scope.launch { [journal, now, logger] in
            do {
                let nothing = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: nil)
                _ = try await journal.prune(nothing, now: now())
            } catch {
                logger.warning(
                    "The rest of deleted runs could not be removed.", metadata: ["cause": "\(Quoted(error))"])
            }
        }
    }
}

extension Journal {
    /// A run that has not ended and retries the given one, or a retry of it.
    fileprivate func unfinishedRetry(of run: String) async throws -> String? {
        for unfinished in try await unfinishedRuns() {
            var (earlier, seen) = (unfinished.opening.retryOf, Set<String>())
            while let id = earlier, seen.insert(id).inserted {
                if id == run { return unfinished.id }
                earlier = try await self.run(id)?.opening.retryOf
            }
        }
        return nil
    }
}

extension VisibleBoard {
    /// Deletes an ended run; requires permission to administer the server.
    ///
    /// Throws `notAllowed` and the errors of `Board.delete`.
    package func delete(_ run: String, actor: String) async throws(BoardError) -> StartReceipt {
        try await require(.see, onRun: run)
        guard administers else { throw .notAllowed }
        return try await board.delete(run, actor: actor)
    }
}

/// The observers of deletions, each called with the ids of deleted runs, one call at a time.
package final class DeletionObservers: Sendable {
    private let observers = Locked<[@Sendable ([String]) -> Void]>([])

    package func add(_ observer: @escaping @Sendable ([String]) -> Void) { observers.withLock { $0.append(observer) } }

    func tell(_ runs: [String]) { for observer in observers.withLock({ $0 }) { observer(runs) } }
}

extension BoardError {
    fileprivate static func deletesEnded(_ run: String) -> BoardError {
        BoardError(.stillRunning, .deletesEnded, ["id": short(run)])
    }
}
