import WeirFlows
import WeirJournals
import WeirStates

/// Shows what runs print that another server carries out.
final class ForeignOutput: Sendable {
    private let feed: Feed
    private let journal: any SharedJournal
    /// Whether another server carries out a run, and records what it prints.
    private let isForeign: @Sendable (String) -> Bool
    /// The operations whose runs print.
    private let printing = Locked<Set<String>>([])

    init(
        _ journal: any SharedJournal, feed: Feed, catalog: Catalog, isForeign: @escaping @Sendable (String) -> Bool
    ) {
        self.journal = journal
        self.feed = feed
        self.isForeign = isForeign
        take(catalog)
    }

    /// Shows the output of the operations of another catalog from now on.
    func take(_ catalog: Catalog) {
        printing.withLock { $0 = Set(catalog.entries.filter(\.prints).map(\.id)) }
    }

    private func prints(_ operation: String) -> Bool { printing.withLock { $0.contains(operation) } }

    /// Before changes are published: begins the output of runs that are opened, and shows the last lines of those that end,
    /// so that no end is shown before what the run printed.
    func prepare(_ changes: [Change]) async throws {
        for change in changes {
            guard case .run(let id) = change.stream, isForeign(id) else { continue }
            open(change, id)
            if change.state.phase.isEnded, feed.output(of: id)?.isClosed == false {
                try await read(id, to: try await journal.outputCount(of: id))
            }
        }
    }

    /// After changes are published: ends the output of runs that have ended, and begins that of those which this server itself
    /// has opened for another.
    func published(_ changes: [Change]) {
        for change in changes {
            guard case .run(let id) = change.stream, isForeign(id) else { continue }
            open(change, id)
            if change.state.phase.isEnded { feed.closeOutput(of: id) }
        }
    }

    private func open(_ change: Change, _ run: String) {
        guard let opening = change.draft.opening, change.origin == nil else { return }
        if opening.report != nil || prints(change.subject) { feed.openOutput(of: run) }
    }

    /// Shows the new lines of all runs that print.
    func look() async throws {
        let open = feed.openOutputs.filter(isForeign)
        guard !open.isEmpty else { return }
        for (run, count) in try await journal.outputCounts(of: open) { try await read(run, to: count) }
    }

    /// Begins the output of the runs that were going when this server came.
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
