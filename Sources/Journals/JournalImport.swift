/// Takes runs that another journal exported into a journal, all or nothing; see `ExportFormat`.
public struct JournalImport: Sendable {
    /// Why an imported run that was still going ended.
    public static let cause = "it was still going when it was exported"

    private let journal: any Journal
    private let now: Timestamp

    /// Prepares an import at that moment.
    public init(into journal: any Journal, at now: Timestamp) {
        self.journal = journal
        self.now = now
    }

    /// Imports the lines that `nextLine` gives, without their ends, until it gives nil.
    ///
    /// Throws `JournalError`, beginning with the number of the line: `malformed` for a line that is not what an export
    /// writes, and for a file that was cut off; `conflict` when a run is here already and differs. Then nothing was
    /// imported. What `nextLine` throws is thrown on. It is called on the journal's own thread, where it may read.
    ///
    /// Runs that had not ended when they were exported end as interrupted, by one further change, as nobody works on them
    /// here; should the process end right before that, they are ended as its own when the next one starts.
    public func lines(_ nextLine: @escaping @Sendable () throws -> String?) async throws -> ImportReport {
        let reader = ExportReader()
        let report = try await reader.naming {
            try await journal.importEntries(at: now) { try reader.next(nextLine) }
        }
        try await interrupt(report.unfinished)
        return report
    }

    private func interrupt(_ runs: [String]) async throws {
        var drafts: [ChangeDraft] = []
        for id in runs {
            guard let run = try await journal.run(id), run.endedAt == nil else { continue }
            drafts.append(.interruption(of: run, at: now, cause: Self.cause))
        }
        _ = try await journal.append(drafts)
    }
}
