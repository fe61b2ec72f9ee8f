import Logging
import WeirFlows
import WeirJournals
import WeirStates

extension Board {
    /// Exports a run in its current state as lines of text without terminators, in the format that `importRuns` reads.
    ///
    /// An error of `write` ends the export and is rethrown. Throws `BoardError` with `unknownRun`, before anything is
    /// written, or with `unavailable`.
    ///
    /// `mayName` returns whether the reader may know of a run; nil for a reader of everything.
    func export(
        _ run: String, mayName: (@Sendable (RunRecord) -> Bool)? = nil, write: (String) async throws -> Void
    ) async throws -> ExportSummary {
        do {
            let export = JournalExport(of: journal, created: now(), mayName: mayName)
            if let summary = try await export.run(run, write: write) {
                return summary
            }
        } catch let error as JournalError {
            throw BoardError.unreadable(error)
        }
        throw await missing(run)
    }

    /// Exports all runs that match a query, oldest first, in the format of `export(_:write:)`; ignores the query's
    /// limit.
    func export(
        _ query: RunQuery, mayName: (@Sendable (RunRecord) -> Bool)? = nil, write: (String) async throws -> Void
    ) async throws -> ExportSummary {
        do {
            return try await JournalExport(of: journal, created: now(), mayName: mayName).runs(query, write: write)
        } catch let error as JournalError {
            throw BoardError.unreadable(error)
        }
    }

    var isImporting: Bool { importing.isTaken }

    /// Imports the runs of an export atomically, and publishes them.
    ///
    /// The lines are read twice: once to validate them, which blocks nothing, and once to add them, in short steps
    /// between which other changes are recorded. A run that had not ended ends as interrupted. If the task is
    /// cancelled, no imported run remains.
    /// - Parameters:
    ///   - restoringDeleted: Whether to import runs that were deleted here, which are left out otherwise.
    ///   - open: Returns a new reader of the lines. The reader is called on any thread until it returns nil, and may
    ///     block.
    /// - Returns: A summary of the imported runs.
    /// - Throws: `malformedImport` and `importConflict`, both with the line number; `importing`, `shuttingDown` and
    ///   `unavailable`.
    func importRuns(
        restoringDeleted: Bool = false, _ open: @escaping JournalImport.Opening
    ) async throws(BoardError) -> ImportReport {
        if runs.isClosed {
            throw BoardError(.shuttingDown, .shuttingDownImport)
        }
        try requireRecording()
        try requireSpace()
        guard importing.take() else { throw .importing }
        defer { importing.release() }
        do {
            return try await JournalImport(into: journal, at: now(), restoringDeleted: restoringDeleted) {
                [recorder] step in
                try await recorder.whileNothingIsRecorded(step)
            }.lines(open)
        } catch let error as JournalError {
            await forgetRolledBack()
            throw BoardError(importing: error)
        } catch {
            await forgetRolledBack()
            throw BoardError(.unavailable, .unreadFile)
        }
    }

    private func forgetRolledBack() async {
        do {
            try await recorder.whileNothingIsRecorded { [feed, journal] in
                try await feed.forgetRemoved(from: journal)
                try await feed.refillLists(from: journal)
            }
        } catch {
            // The journal failed: the next retention check removes them.
            logger.warning(
                "Runs of an interrupted import may be shown for a while.", metadata: ["cause": "\(Quoted(error))"])
        }
    }
}

extension BoardError {
    fileprivate init(importing error: JournalError) {
        switch error.code {
        case .malformed, .outOfOrder:
            self.init(.malformedImport, .nothingImported, ["reason": .text(error.description)])
        case .tooNew: self.init(.malformedImport, Message(verbatim: error.description))
        case .conflict: self.init(.importConflict, Message(verbatim: error.description))
        case .full, .readOnly, .locked, .corrupt, .searchTooLong, .unavailable: self = .unreadable(error)
        }
    }
}

/// Allows one import at a time, without waiting.
final class ImportLock: Sendable {
    private let core = Locked(false)

    var isTaken: Bool { core.withLock { $0 } }

    /// Acquires the lock; returns false if it is held.
    func take() -> Bool {
        core.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    func release() { core.withLock { $0 = false } }
}
