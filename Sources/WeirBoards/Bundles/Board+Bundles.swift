import Logging
import WeirFlows
package import WeirJournals
import WeirStates

extension Board {
    /// Writes a run as far as it has come as lines of text, without their ends, which `importRuns` of any board takes.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - write: Takes the lines, one by one; what it throws ends the export, and is thrown on.
    /// - Returns: What was written.
    /// - Throws: `BoardError` with `unknownRun`, before anything is written, and with `unavailable`.
    package func export(_ run: String, write: (String) async throws -> Void) async throws -> ExportSummary {
        do {
            if let summary = try await JournalExport(of: journal, created: now()).run(run, write: write) {
                return summary
            }
        } catch let error as JournalError {
            throw BoardError.unreadable(error)
        }
        throw await missing(run)
    }

    /// Writes all runs that a query finds, whatever its limit, as `export(_:write:)` writes one, the oldest first.
    package func export(_ query: RunQuery, write: (String) async throws -> Void) async throws -> ExportSummary {
        do {
            return try await JournalExport(of: journal, created: now()).runs(query, write: write)
        } catch let error as JournalError {
            throw BoardError.unreadable(error)
        }
    }

    /// Whether an import is in progress; another is refused until it is over.
    package var isImporting: Bool { importing.isTaken }

    /// Takes in the runs of an export, all or nothing, and shows them.
    ///
    /// The lines are read twice: first to find whether they are whole, which nobody else notices, then to take them in, in
    /// short steps between which everything else is recorded. A run that had not ended ends as interrupted. When the task
    /// is cancelled, nothing of the file stays.
    /// - Parameter open: Opens the lines again; what it returns is called until it returns nil, on any thread, where it
    ///   may read.
    /// - Returns: What came in.
    /// - Throws: `malformedImport`, `importConflict`, both naming the line, `importing`, `shuttingDown` and `unavailable`.
    package func importRuns(_ open: @escaping JournalImport.Opening) async throws(BoardError) -> ImportReport {
        if runs.isClosed {
            throw BoardError(.shuttingDown, .shuttingDownImport)
        }
        try requireRecording()
        guard importing.take() else { throw .importing }
        defer { importing.release() }
        do {
            return try await JournalImport(into: journal, at: now()) { [recorder] step in
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

    /// Takes the runs of an import that was interrupted from the pages that showed them.
    private func forgetRolledBack() async {
        do {
            try await recorder.whileNothingIsRecorded { [feed, journal] in
                try await feed.forgetRemoved(from: journal)
                try await feed.refillLists(from: journal)
            }
        } catch {
            // The journal does not answer: the next look of retention finds them.
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

/// Lets one import run at a time; a second one is refused rather than kept waiting.
final class ImportLock: Sendable {
    private let core = Locked(false)

    /// Whether an import is in progress.
    var isTaken: Bool { core.withLock { $0 } }

    /// Takes the lock; false if another has it.
    func take() -> Bool {
        core.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    /// Lets the next one in.
    func release() { core.withLock { $0 = false } }
}
