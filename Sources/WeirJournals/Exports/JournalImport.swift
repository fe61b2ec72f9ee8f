/// Imports exported runs, all or nothing; see `ExportFormat`.
///
/// The file is read twice. The first pass changes nothing: it detects every error and every run that already exists.
/// The second pass adds the others in short steps, between which others can append. An interrupted import is removed
/// again: immediately, or, if the process ends, the next time the journal is opened.
package struct JournalImport: Sendable {
    /// Opens the lines of a file, without line terminators; called once per pass.
    ///
    /// The returned function is called on any thread until it returns nil, and may block on the disk.
    package typealias Opening = @Sendable () throws -> @Sendable () throws -> String?

    private let journal: any Journal
    private let now: Timestamp
    private let restoresDeleted: Bool
    private let step: @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void

    /// Prepares an import; `step` receives each short step that changes the journal and must run it.
    ///
    /// Only one import of a journal may run at a time. Runs that were deleted here are left out, unless
    /// `restoringDeleted` is true.
    package init(
        into journal: any Journal, at now: Timestamp, restoringDeleted: Bool = false,
        step: @escaping @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void = {
            try await $0()
        }
    ) {
        self.journal = journal
        self.now = now
        restoresDeleted = restoringDeleted
        self.step = step
    }

    /// Imports the lines of a file.
    ///
    /// Throws `JournalError`, with the line number: `malformed` for an invalid line or a truncated file, `conflict`
    /// if a run already exists and differs. Nothing is imported in that case, nor if the task is cancelled or reading
    /// the file fails, whose error is rethrown.
    ///
    /// Runs that were unfinished when exported end as interrupted, by one further change, because nothing executes
    /// them here.
    package func lines(_ open: @escaping Opening) async throws -> ImportReport {
        var plan = ImportPlan(for: journal, restoringDeleted: restoresDeleted)
        try await read(open) { batch in
            for numbered in batch {
                do {
                    try await plan.read(numbered)
                } catch let error as JournalError {
                    throw error.named(line: numbered.line)
                }
            }
        }
        let report = try await plan.finish()
        guard !report.imported.isEmpty else { return report }
        // Removes an earlier import that could not be rolled back when it was interrupted.
        try await rollBack()
        do {
            try await add(plan, open)
        } catch {
            do {
                try await rollBack()
            } catch let second {
                throw JournalError(
                    .unavailable,
                    "The import was interrupted, and what it had added could not be removed yet: the next import does that, or "
                        + "the next start of the server.", cause: second)
            }
            throw error
        }
        return report
    }

    private func rollBack() async throws {
        try await step { [journal] in _ = try await journal.rollBackImport() }
    }

    private func add(_ plan: ImportPlan, _ open: @escaping Opening) async throws {
        try await read(open) { [journal, now] batch in
            let entries = batch.flatMap { plan.additions(for: $0, at: now) }
            guard !entries.isEmpty else { return }
            try await step { try await journal.addImported(entries, at: now) }
        }
        try await step { [journal] in try await journal.commitImport() }
    }

    private func read(_ open: Opening, _ body: ([ExportBatches.Numbered]) async throws -> Void) async throws {
        let batches = ExportBatches(try open())
        while case let batch = try await batches.next(), !batch.isEmpty {
            try Task.checkCancellation()
            try await body(batch)
        }
    }
}

package struct ImportReport: Sendable, Hashable {
    /// The ids of the imported runs, in the order of the file.
    package var imported: [String] = []
    /// The ids of the runs that existed already, identical in bytes except for the end that an earlier import added.
    package var skipped: [String] = []
    /// The ids of the runs that were deleted here and so were left out.
    package var deleted: [String] = []
    /// The ids of the imported runs that were unfinished when exported; they end as interrupted.
    package var unfinished: [String] = []
    package var changes = 0
    package var lines = 0

    init() {}
}
