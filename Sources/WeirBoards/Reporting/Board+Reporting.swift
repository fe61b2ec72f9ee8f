package import WeirJournals
import WeirStates

extension Board {
    /// Records a report about a run that a program elsewhere executes.
    ///
    /// - Parameter report: The report. Only the reporter that opened a run can add to it.
    /// - Returns: The result, once it is recorded. A repeated report is recognized by its producer's numbers.
    /// - Throws: `unknownOperation` for an opening of an operation that is not in the catalog, unless the configuration
    ///   allows it; `notReported` if the operation's runs are started here; `overloaded` and `limitReached` if too many
    ///   runs are open; `unavailable` if nothing can be recorded, `noSpace`, and `shuttingDown`.
    func report(_ report: Report) async throws(BoardError) -> ReportReceipt {
        if runs.isClosed { throw .stopping }
        try requireRecording()
        if report.opening != nil || (!report.entries.isEmpty && !report.isEnding) { try requireSpace() }
        if report.opening != nil { try checkOpening(of: report.operation) }
        return try await reported.take(report)
    }

    func checkOpening(of operation: String) throws(BoardError) {
        if let entry = catalog[operation] {
            guard entry.isReported else {
                throw BoardError(.notReported, .runHere, ["operation": BoardError.short(operation)])
            }
        } else if !configuration.reportsUndeclared {
            throw .unknownOperation(operation)
        }
    }

    /// The messages of a reported run after a position, oldest first: its states and lines, merged.
    ///
    /// Reads up to `limit` states and as many lines; large ones reduce the number, but at least one is returned. Throws
    /// `unknownRun` if no reported run has that id and operation, `removedRun`, and `unavailable`.
    func reports(
        of run: String, operation: String, after place: ReportPlace? = nil, limit: Int
    ) async throws(BoardError) -> ReportedMessages {
        let place = place ?? ReportPlace(sequence: 0, line: 0)
        // The order of the reads ensures that no line up to `head` precedes a change that is not read.
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

    func isReported(_ run: String) -> Bool { reported.contains(run) }

    /// Cancels a reported run; the reporter learns of it from the response to its next message.
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

/// Messages of a reported run in the order in which they were sent.
package struct ReportedMessages: Sendable {
    package enum Message: Sendable, Hashable {
        /// The run was opened, or entered a state.
        case change(Change)
        /// The run printed a line; an overlong line is split into several messages.
        case line(OutputLine)
    }

    package let record: RunRecord
    package let lines: SequenceNumber
    package let messages: [Message]
    package let next: ReportPlace

    package var more: Bool { next.sequence < record.sequence || next.line < lines }

    /// Merges contiguous changes and lines after a position, as far as their order is certain.
    ///
    /// The order of a line beyond `head` relative to changes is unknown.
    init(
        record: RunRecord, lines head: SequenceNumber, after place: ReportPlace, changes: [Change],
        newLines: [OutputLine]
    ) {
        var messages: [Message] = []
        var (changes, lines) = (changes[...], newLines[...])
        var (sequence, line) = (place.sequence, place.line)
        while true {
            // If a list ends early, its next element is unknown, and so is the order.
            let isChangeUnknown = changes.isEmpty && sequence < record.sequence
            let isLineUnknown = lines.isEmpty && line < head
            if isChangeUnknown || isLineUnknown { break }
            if let change = changes.first, lines.first.map({ change.at <= $0.at }) ?? true {
                messages.append(.change(change))
                sequence = change.sequence
                changes.removeFirst()
            } else if let next = lines.first, next.number <= head {
                messages.append(.line(next))
                line = next.number
                lines.removeFirst()
            } else {
                break
            }
        }
        self.record = record
        self.lines = head
        self.messages = messages
        next = ReportPlace(sequence: sequence, line: line)
    }
}
