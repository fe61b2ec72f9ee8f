package import Journals

extension Board {
    /// The newest lines of a run's output, from memory or from the journal.
    ///
    /// - Parameter run: The run's id.
    /// - Returns: The lines as they stand; none for a run that printed nothing.
    /// - Throws: `unknownRun`, and `unavailable` when the journal cannot be read.
    package func outputTail(of run: String) async throws(BoardError) -> OutputTail {
        if let tail = feed.output(of: run) { return tail }
        let isClosed = try await self.run(run).endedAt != nil
        let tail = try await read {
            let head = try await journal.outputCount(of: run)
            let after = head.advanced(by: -OutputTail.lineLimit)
            let lines = head == 0 ? [] : try await journal.output(of: run, after: after, limit: OutputTail.lineLimit)
            return OutputTail(head: lines.last?.number ?? head, lines: lines, isClosed: isClosed)
        }
        feed.remember(tail, of: run)
        return tail
    }

    /// The lines of a run's output after a number, oldest first, from the journal.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - number: The number of the last line that is not wanted; 0 for all.
    ///   - limit: How many at most.
    /// - Returns: The lines; none of a run that printed nothing.
    /// - Throws: `unknownRun`, and `unavailable` when the journal cannot be read.
    package func output(
        of run: String, after number: SequenceNumber = 0, limit: Int
    ) async throws(BoardError) -> [OutputLine] {
        _ = try await self.run(run)
        if let tail = feed.output(of: run), number >= tail.earlier {
            return Array((tail.lines(after: number) ?? []).prefix(limit))
        }
        return try await read { try await journal.output(of: run, after: number, limit: limit) }
    }
}
