import Logging
import WeirAccess
import WeirFlows
import WeirJournals
import WeirStates

extension Board {
    /// The number of runs that one transaction deletes.
    private static let deletedTogether = 50

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
        guard let result = await delete([run], actor: actor)[run] else { throw .unknownRun(run) }
        return try result.get()
    }

    /// Deletes several runs as ``delete(_:actor:)`` does, many in one transaction; returns a result for each that was tried.
    ///
    /// A step is deleted with its run if both are among the runs, in any order. After a transaction that fails, the rest
    /// are not tried.
    package func delete(_ runs: [String], actor: String) async -> [String: Result<StartReceipt, BoardError>] {
        var results: [String: Result<StartReceipt, BoardError>] = [:]
        var outcomes: [String: RunDeletionOutcome] = [:]
        var rest = runs[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.deletedTogether))
            rest = rest.dropFirst(some.count)
            do throws(BoardError) {
                for (run, outcome) in zip(some, try await deletions(of: some, actor: actor)) { outcomes[run] = outcome }
            } catch {
                for run in some { results[run] = .failure(error) }
                break
            }
        }
        for (run, outcome) in outcomes where outcome.deletions.isEmpty {
            results[run] = .failure(await error(of: outcome, for: run))
        }
        for outcome in outcomes.values {
            for deletion in outcome.deletions {
                results[deletion.run] = .success(
                    StartReceipt(run: deletion.run, sequence: outcome.deletions.last?.sequence, isNew: true))
            }
        }
        return results
    }

    /// Deletes runs in one transaction, here or on the recording server; returns an outcome for each.
    func deletions(of some: [String], actor: String) async throws(BoardError) -> [RunDeletionOutcome] {
        if follows { return try await handOver(.delete(runs: some, actor: actor)).deletions }
        try requireRecording()
        try requireForgettingServers()
        let outcomes: [RunDeletionOutcome]
        do {
            outcomes = try await recorder.whileNothingIsRecorded { [journal, now, runs] in
                // A retry reads the values of the steps that it took over.
                let retries = try await journal.unfinishedRetries()
                let active = { (run: String) in runs[run] == nil ? retries[run] : run }
                let ended = some.filter { active($0) == nil }
                let outcomes = zip(ended, try await journal.delete(ended, by: actor, at: now()))
                let known = Dictionary(outcomes) { first, _ in first }
                return some.map { run in active(run).map { .active($0) } ?? known[run] ?? .unknown }
            }
        } catch is CancellationError {
            throw .shuttingDown
        } catch {
            throw .unreadable(error)
        }
        let gone = outcomes.flatMap(\.deletions).map(\.run)
        guard !gone.isEmpty else { return outcomes }
        // Others can record meanwhile. Not cancelled with the caller.
        await Task { [self] in await removeRest(of: gone) }.value
        return outcomes
    }

    /// Removes the kept files and the rows of deleted runs.
    private func removeRest(of runs: [String]) async {
        await Self.removeArtifacts(of: runs, in: artifacts)
        do {
            try await journal.finishDeletion()
        } catch {
            logger.warning("The rest of deleted runs is removed later.", metadata: ["cause": "\(Quoted(error))"])
        }
    }

    private func error(of outcome: RunDeletionOutcome, for run: String) async -> BoardError {
        switch outcome {
        case .deleted, .unknown: await missing(run)
        case .active(run): .deletesEnded(run)
        case .active(let retry):
            BoardError(
                .stillRunning, .deletesRetried, ["id": BoardError.short(run), "retry": BoardError.short(retry)])
        case .step(let whole): BoardError(.stepOfRun, .deletesWhole, ["id": BoardError.short(whole)])
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
    /// For each run that a run which has not ended retries, directly or through other retries, that run.
    fileprivate func unfinishedRetries() async throws -> [String: String] {
        var retries: [String: String] = [:]
        for unfinished in try await unfinishedRuns() {
            var earlier = unfinished.opening.retryOf
            while let id = earlier, retries[id] == nil {
                retries[id] = unfinished.id
                earlier = try await run(id)?.opening.retryOf
            }
        }
        return retries
    }
}

extension VisibleBoard {
    /// Deletes an ended run; requires permission to administer the server.
    ///
    /// Throws `notAllowed` and the errors of `Board.delete`.
    package func delete(_ run: String, actor: String) async throws(BoardError) -> StartReceipt {
        try await requireDeletion(of: run)
        return try await board.delete(run, actor: actor)
    }

    /// Deletes several runs as ``delete(_:actor:)`` does; returns a result for each that was tried.
    package func delete(_ runs: [String], actor: String) async -> [String: Result<StartReceipt, BoardError>] {
        var refusals: [String: Result<StartReceipt, BoardError>] = [:]
        for run in runs {
            do { try await requireDeletion(of: run) } catch { refusals[run] = .failure(error) }
        }
        let allowed = runs.filter { refusals[$0] == nil }
        return await board.delete(allowed, actor: actor).merging(refusals) { result, _ in result }
    }

    private func requireDeletion(of run: String) async throws(BoardError) {
        try await require(.see, onRun: run)
        guard administers else { throw .notAllowed }
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
