import WeirAccess
package import WeirJournals

extension VisibleBoard {
    /// When the history began that all sequences belong to.
    package var began: Timestamp { board.began }

    /// The sequence of a feed's last change that can be had no more; 0 while all can be.
    ///
    /// Throws `unknownOperation`, `unknownStore`, and `unavailable` when the journal cannot be read.
    package func floor(of topic: Topic) async throws(BoardError) -> SequenceNumber {
        guard !visibility.isWhole else { return try await board.floor(of: topic) }
        switch topic {
        case .board:
            // Of the board only what this audience's own feed has is in memory.
            let inMemory = feed.floor(of: .board)
            return min(inMemory, try await board.read { try await board.journal.floor(of: .board) })
        case .operation(let id): try require(.see, onOperation: id)
        case .store(let id): try require(.see, onStore: id)
        case .run(let id), .output(let id): _ = try await run(id)
        }
        return try await board.floor(of: topic)
    }

    /// Takes what a program elsewhere reports of a run, as `Board.report` does.
    ///
    /// Throws what that throws, and `unknownOperation` for one who may not report its runs.
    package func report(_ report: Report) async throws(BoardError) -> ReportReceipt {
        try requireReporting(report.operation)
        return try await board.report(report)
    }

    /// What the reporter of a run has sent, as `Board.reports` does.
    ///
    /// Throws what that throws, and `unknownOperation` for one who may not report its runs.
    package func reports(
        of run: String, operation: String, after place: ReportPlace? = nil, limit: Int
    ) async throws(BoardError) -> ReportedMessages {
        try requireReporting(operation)
        return try await board.reports(of: run, operation: operation, after: place, limit: limit)
    }

    private func requireReporting(_ operation: String) throws(BoardError) {
        guard permissions.allows(.report, on: .operation(operation)) else { throw .unknownOperation(operation) }
    }
}
