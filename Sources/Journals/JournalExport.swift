import States

/// Writes runs of a journal as lines of text, for another journal to take in, or for a report; see `ExportFormat`.
public struct JournalExport: Sendable {
    private static let page = 500

    private let journal: any Journal
    private let created: Timestamp

    /// Prepares an export of that moment.
    public init(of journal: any Journal, created: Timestamp) {
        self.journal = journal
        self.created = created
    }

    /// Writes one run, as far as it has come, a line at a time without its end.
    ///
    /// Throws what `write` throws, and `JournalError`. Nil, and nothing is written, when there is no such run.
    public func run(_ id: String, write: (String) async throws -> Void) async throws -> ExportSummary? {
        guard let run = try await journal.run(id) else { return nil }
        return try await export([run], write)
    }

    /// Writes all runs a query finds, whatever its limit, oldest first, a line at a time without its end.
    ///
    /// Throws what `write` throws, and `JournalError`. Keeps the runs' records in memory, not their changes.
    public func runs(_ query: RunQuery, write: (String) async throws -> Void) async throws -> ExportSummary {
        var query = query
        query.limit = Self.page
        var runs: [RunRecord] = []
        while true {
            let page = try await journal.runs(query)
            runs += page.runs
            guard let next = page.next else { break }
            query.before = next
        }
        return try await export(runs.reversed(), write)
    }

    private func export(
        _ runs: some Sequence<RunRecord>, _ write: (String) async throws -> Void
    ) async throws -> ExportSummary {
        var summary = ExportSummary()
        try await write(try ExportFormat.header(epoch: journal.epoch, created: created).text())
        for run in runs {
            summary.runs += 1
            summary.changes += try await exportChanges(of: run, write)
            summary.lines += try await exportOutput(of: run, write)
        }
        try await write(try ExportFormat.end(summary).text())
        return summary
    }

    private func exportChanges(of run: RunRecord, _ write: (String) async throws -> Void) async throws -> Int {
        var count = 0
        var last: Int64 = 0
        while last < run.sequence {
            let changes = try await journal.changes(
                of: .run(run.id), after: last, through: run.sequence, limit: Self.page)
            guard let end = changes.last else {
                throw JournalError(.unavailable, "Run \(run.id) was removed while it was exported. Export again.")
            }
            for change in changes { try await write(try ExportFormat.line(change).text()) }
            count += changes.count
            last = end.sequence
        }
        return count
    }

    private func exportOutput(of run: RunRecord, _ write: (String) async throws -> Void) async throws -> Int {
        let count = try await journal.outputCount(of: run.id)
        var last: Int64 = 0
        while last < count {
            let lines = try await journal.output(
                of: run.id, after: last, limit: min(Self.page, Int(clamping: count - last)))
            guard let end = lines.last else {
                throw JournalError(.unavailable, "Run \(run.id) was removed while it was exported. Export again.")
            }
            for line in lines { try await write(try ExportFormat.line(line, of: run.id).text()) }
            last = end.number
        }
        return Int(count)
    }
}
