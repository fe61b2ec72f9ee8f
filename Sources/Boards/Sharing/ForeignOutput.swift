import Flows
import Journals
import States

/// Shows what runs print that another server runs.
final class ForeignOutput: Sendable {
    private let feed: Feed
    private let journal: any SharedJournal
    /// The operations whose runs print.
    private let printing = Locked<Set<String>>([])

    init(_ journal: any SharedJournal, feed: Feed, catalog: Catalog) {
        self.journal = journal
        self.feed = feed
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
            guard case .run(let id) = change.stream else { continue }
            if let opening = change.draft.opening, change.origin == nil, opening.report != nil || prints(change.subject)
            {
                feed.openOutput(of: id)
            }
            if change.state.phase.isEnded, feed.output(of: id)?.isClosed == false {
                try await read(id, to: try await journal.outputCount(of: id))
            }
        }
    }

    /// After changes are published: ends the output of runs that have ended.
    func close(_ changes: [Change]) {
        for change in changes where change.state.phase.isEnded {
            if case .run(let id) = change.stream { feed.closeOutput(of: id) }
        }
    }

    /// Shows the new lines of all runs that print.
    func look() async throws {
        let open = feed.openOutputs
        guard !open.isEmpty else { return }
        for (run, count) in try await journal.outputCounts(of: open) { try await read(run, to: count) }
    }

    /// Begins the output of the runs that were going when this server came.
    func resume() async throws {
        for run in try await journal.unfinishedRuns() where run.origin == nil {
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
