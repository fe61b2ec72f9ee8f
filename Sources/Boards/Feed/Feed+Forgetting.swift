import Journals

extension Feed {
    /// Takes the runs out of the lists of pages that the journal keeps no more, so that no page links to them.
    ///
    /// Called while nothing is published.
    func forgetRemoved(from journal: any Journal) async throws {
        var gone: Set<String> = []
        for id in board.listedRuns where try await journal.run(id) == nil { gone.insert(id) }
        if !gone.isEmpty { forget(gone) }
    }
}

extension BoardView {
    /// The ids of the runs in its lists.
    var listedRuns: Set<String> { Set((operations.flatMap(\.recent) + recentRuns).map(\.record.id)) }

    /// The view without some runs, which have ended.
    func without(_ runs: Set<String>) -> BoardView {
        BoardView(
            sequence: sequence, operations: operations.map { $0.without(runs) },
            recentRuns: recentRuns.filter { !runs.contains($0.record.id) }, stores: stores)
    }
}

extension OperationView {
    fileprivate func without(_ runs: Set<String>) -> OperationView {
        OperationView(id: id, recent: recent.filter { !runs.contains($0.record.id) }, activeRuns: activeRuns)
    }
}
