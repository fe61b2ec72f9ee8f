public import Journals

extension Board {
    /// Writes a run as far as it has come as lines of text, without their ends, which `importRuns` of any board takes.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - write: Takes the lines, one by one; what it throws ends the export, and is thrown on.
    /// - Returns: What was written.
    /// - Throws: `BoardError` with `unknownRun`, before anything is written, and with `unavailable`.
    public func export(_ run: String, write: (String) async throws -> Void) async throws -> ExportSummary {
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
    public func export(_ query: RunQuery, write: (String) async throws -> Void) async throws -> ExportSummary {
        do {
            return try await JournalExport(of: journal, created: now()).runs(query, write: write)
        } catch let error as JournalError {
            throw BoardError.unreadable(error)
        }
    }

    /// Takes in the runs of an export, all or nothing, and shows them.
    ///
    /// The lines are read through twice: first to see whether they are whole, then, while nothing else is recorded, to
    /// take them in. A run that had not ended ends as interrupted.
    /// - Parameter open: Opens the lines anew; what it gives is called until it gives nil, on any thread, where it may read.
    /// - Returns: What came in.
    /// - Throws: `malformedImport`, `importConflict`, both naming the line, `shuttingDown` and `unavailable`.
    public func importRuns(
        _ open: @escaping @Sendable () throws -> @Sendable () throws -> String?
    ) async throws(BoardError) -> ImportReport {
        if runs.isClosed {
            throw BoardError(.shuttingDown, "The server is shutting down. Import the file again when it is back.")
        }
        do {
            _ = try ExportContents(reading: try open())
            return try await recorder.whileNothingIsRecorded { [journal, now] in
                try await JournalImport(into: journal, at: now()).lines(try open())
            }
        } catch let error as JournalError {
            throw BoardError(importing: error)
        } catch {
            throw BoardError(.unavailable, "The file could not be read. Send it again.")
        }
    }
}

extension BoardError {
    fileprivate init(importing error: JournalError) {
        switch error.code {
        case .malformed, .outOfOrder:
            self.init(.malformedImport, "\(error.description) Nothing was imported.")
        case .tooNew: self.init(.malformedImport, error.description)
        case .conflict: self.init(.importConflict, error.description)
        case .full, .readOnly, .locked, .corrupt, .unavailable: self = .unreadable(error)
        }
    }
}
