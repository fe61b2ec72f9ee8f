package import WeirJournals
import WeirStates

extension Board {
    /// Takes what a program elsewhere reports of a run, and returns once what became of it is recorded.
    ///
    /// - Parameter report: What it reports. Its `reporter` says who reports; only who opened a run adds to it.
    /// - Returns: What became of it: a report that was taken before is known as such by its producer's numbers.
    /// - Throws: `unknownOperation` for an opening of an operation that the catalog does not have, unless the
    ///   configuration allows it; `notReported` where the operation's runs are started here; `overloaded` and
    ///   `limitReached` when too many runs are open; `unavailable` when nothing can be recorded, and `shuttingDown`.
    package func report(_ report: Report) async throws(BoardError) -> ReportReceipt {
        if runs.isClosed { throw .stopping }
        try requireRecording()
        if report.opening != nil { try checkOpening(of: report.operation) }
        return try await reported.take(report)
    }

    /// Whether runs of an operation may be reported that nobody declared.
    func checkOpening(of operation: String) throws(BoardError) {
        if let entry = catalog[operation] {
            guard entry.isReported else {
                throw BoardError(.notReported, .runHere, ["operation": BoardError.short(operation)])
            }
        } else if !configuration.reportsUndeclared {
            throw .unknownOperation(operation)
        }
    }

    /// What the reporter of a run has sent, oldest first: its states and lines as one list.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - operation: The operation it was reported under.
    ///   - place: How far the caller has read; nil for all.
    ///   - limit: How many states, and how many lines, are read at most; large ones make it fewer, but never none.
    /// - Returns: The messages, and where the next ones begin.
    /// - Throws: `unknownRun` where there is no reported run of that id and operation, `removedRun`, and `unavailable`.
    package func reports(
        of run: String, operation: String, after place: ReportPlace? = nil, limit: Int
    ) async throws(BoardError) -> ReportedMessages {
        let place = place ?? ReportPlace(sequence: 0, line: 0)
        // Read in this order, so that of the lines up to `head` none comes before a change that is not read.
        let head = try await read { try await journal.outputCount(of: run) }
        guard let record = try await read({ try await journal.run(run) }) else { throw await missing(run) }
        guard record.isReportedHere, record.operation == operation else { throw .unknownRun(run) }
        let (changes, lines) = try await read {
            (
                try await portion(of: .run(run), after: place.sequence, through: record.sequence, limit: limit)
                    .elements,
                try await portion(ofOutputOf: run, after: place.line, limit: limit).elements
            )
        }
        return ReportedMessages(record: record, lines: head, after: place, changes: changes, newLines: lines)
    }

    /// Whether a program elsewhere reports that run, and it has not ended.
    func isReported(_ run: String) -> Bool { reported.contains(run) }

    /// Ends a reported run on somebody's behalf; its reporter hears of it with its next message.
    func cancelReported(_ run: String, actor: String) async throws(BoardError) -> StartReceipt {
        let record = try await self.run(run)
        let end = Report(
            run: run, operation: record.operation, reporter: nil, ending: .cancelled(.actor(actor)))
        let receipt = try await reported.take(end)
        guard receipt.outcome == .taken else {
            throw BoardError(.alreadyEnded, .nothingToCancel)
        }
        return StartReceipt(run: run, sequence: receipt.place?.sequence, isNew: false)
    }
}
