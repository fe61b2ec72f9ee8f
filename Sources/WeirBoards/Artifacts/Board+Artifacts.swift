import Logging
import WeirFlows
import WeirJournals
import WeirStates

extension Board {
    /// The store of kept files, or nil if runs keep none.
    var artifacts: ArtifactStore? { configuration.artifacts }

    /// Removes kept files whose run is gone, hourly, unless the checks of the retention policy do.
    func removeArtifactsHourly() {
        guard artifacts != nil else { return }
        scope.launch { [weak self, clock] in
            while !Task.isCancelled {
                if self?.removesArtifactsAfterRetention == false { await self?.removeArtifactsOfRemovedRuns() }
                try await clock.sleep(for: .seconds(3_600))
            }
        }
    }

    /// Removes the files of deleted runs; what remains is removed by the hourly check.
    static func removeArtifacts(of runs: [String], in store: ArtifactStore?) async {
        guard let store else { return }
        try? await WorkPool.artifacts.run { for run in runs { store.removeAll(of: run) } }
    }

    private var removesArtifactsAfterRetention: Bool { role.value == .recording && configuration.retention != nil }

    /// Removes the files of runs that the journal has removed, and what an interrupted process left of runs that keep
    /// none.
    func removeArtifactsOfRemovedRuns() async {
        guard let artifacts else { return }
        do {
            for run in try await WorkPool.artifacts.run({ artifacts.runs() }) {
                try Task.checkCancellation()
                // The opening of an active run may not be recorded yet.
                guard runs[run] == nil else { continue }
                if let record = try await journal.run(run), record.endedAt == nil || !record.artifacts.isEmpty {
                    continue
                }
                guard runs[run] == nil else { continue }
                try await WorkPool.artifacts.run { artifacts.removeAll(of: run) }
            }
        } catch is CancellationError {
            return
        } catch {
            logger.warning(
                "Kept files of removed runs could not be removed.", metadata: ["cause": "\(Quoted(error))"])
        }
    }
}

extension VisibleBoard {
    package var artifacts: ArtifactStore? { board.artifacts }
}

extension StepsHost {
    /// The path of a kept file on this server, or nil if it is missing.
    func artifact(_ index: Int, of run: RunRecord) async -> String? {
        guard let store = board()?.artifacts, let artifact = run.artifacts.dropFirst(max(index, 0)).first else {
            return nil
        }
        let isHere = try? await WorkPool.artifacts.run {
            store.open(index, named: artifact.name, run: run.id) != nil
        }
        return isHere == true ? store.path(of: index, named: artifact.name, run: run.id) : nil
    }

    /// The paths of all kept files, or nil if one of them is missing on this server.
    func artifacts(of run: RunRecord) async -> [String]? {
        var paths: [String] = []
        for index in run.artifacts.indices {
            guard let path = await artifact(index, of: run) else { return nil }
            paths.append(path)
        }
        return paths
    }
}
