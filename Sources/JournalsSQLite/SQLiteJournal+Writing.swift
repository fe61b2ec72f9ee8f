import GRDB
public import Journals

extension SQLiteJournal {
    /// Adds the drafts in their order, all or none.
    public func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        guard !drafts.isEmpty else { return [] }
        return try await write { database in
            let writer = try ChangeWriter(database)
            let changes = try drafts.map { try writer.add($0) }
            try writer.finish()
            return changes
        }
    }

    /// Adds lines to the output of a run.
    public func appendOutput(run: String, lines: [OutputDraft]) async throws -> Int64 {
        try await write { try OutputTable($0).append(lines, to: run) }
    }

    /// Removes whole ended runs and old changes of stores as the policy says, and gives the space back.
    ///
    /// Each step is a short transaction; others append between them. A step that was interrupted is finished next time.
    public func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int {
        var removed = 0
        while true {
            let hidden = try await write { try RunRemoval($0).hide(policy, now: now) }
            removed += hidden
            while try await write({ try RunRemoval($0).sweep() }) {}
            if hidden == 0 { break }
        }
        while try await write({ try StoreRemoval($0).sweep(policy) }) {}
        var shrinks = false
        while try await write({ try RunRemoval($0).shrink() }) { shrinks = true }
        // The log beside the file holds what was given back until it is copied over.
        if shrinks { try await checkpoint() }
        return removed
    }

    /// Takes in what `next` gives until it gives nil, in one transaction.
    ///
    /// Others append afterwards.
    public func importEntries(
        at now: Timestamp, _ next: @escaping @Sendable () throws -> ExportedEntry?
    ) async throws -> ImportReport {
        try await write { try RunImport($0, at: now).run(next) }
    }
}
