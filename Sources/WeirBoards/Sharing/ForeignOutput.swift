import WeirFlows
import WeirJournals
import WeirStates

/// Publishes the output of runs that other servers carry out.
final class ForeignOutput: Sendable {
    private let feed: Feed
    private let journal: any SharedJournal
    /// Whether another server carries out a run and records its output.
    private let isForeign: @Sendable (String) -> Bool
    private let printing = Locked<Set<String>>([])

    init(
        _ journal: any SharedJournal, feed: Feed, catalog: Catalog, isForeign: @escaping @Sendable (String) -> Bool
    ) {
        self.journal = journal
        self.feed = feed
        self.isForeign = isForeign
        take(catalog)
    }

    /// Replaces the catalog that determines which operations produce output.
    func take(_ catalog: Catalog) {
        printing.withLock { $0 = Set(catalog.entries.filter(\.prints).map(\.id)) }
    }

    private func prints(_ operation: String) -> Bool { printing.withLock { $0.contains(operation) } }

    /// Called before changes are published: opens the output of new runs, and publishes the last lines of runs that
    /// end, so that no end is shown before the run's output.
    ///
    /// An end is recorded after the last line, so the journal has all lines. The output of this server's own runs is
    /// closed before their end, unless another server has ended them.
    func prepare(_ changes: [Change]) async throws {
        var ended: [String] = []
        for change in changes {
            guard case .run(let id) = change.stream else { continue }
            if isForeign(id) { open(change, id) }
            if change.state.phase.isEnded, feed.output(of: id)?.isClosed == false { ended.append(id) }
        }
        guard !ended.isEmpty else { return }
        for (run, count) in try await journal.outputCounts(of: ended) { try await read(run, to: count) }
    }

    /// Called after changes are published: closes the output of ended runs, and opens that of runs which this server
    /// itself opened for another.
    func published(_ changes: [Change]) {
        for change in changes {
            guard case .run(let id) = change.stream else { continue }
            if isForeign(id) { open(change, id) }
            if change.state.phase.isEnded { feed.closeOutput(of: id) }
        }
    }

    private func open(_ change: Change, _ run: String) {
        guard let opening = change.draft.opening, change.origin == nil else { return }
        if opening.report != nil || prints(change.subject) { feed.openOutput(of: run) }
    }

    func look() async throws {
        let open = feed.openOutputs.filter(isForeign)
        guard !open.isEmpty else { return }
        for (run, count) in try await journal.outputCounts(of: open) { try await read(run, to: count) }
    }

    /// Opens the output of the runs that were active when this server started.
    func resume() async throws {
        for run in try await journal.unfinishedRuns() where run.origin == nil && isForeign(run.id) {
            if run.isReportedHere || prints(run.operation) { feed.openOutput(of: run.id) }
        }
        try await look()
    }

    private func read(_ run: String, to count: SequenceNumber) async throws {
        guard let tail = feed.output(of: run), tail.head < count else { return }
        let after = max(tail.head, count.advanced(by: -OutputTail.lineLimit))
        feed.publish(try await journal.output(of: run, after: after, limit: OutputTail.lineLimit), of: run)
    }
}
