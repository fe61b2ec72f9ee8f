package import WeirJournals

extension Board {
    /// The newest lines of a run's output, from memory or from the journal; empty for a run that printed nothing.
    ///
    /// Throws `unknownRun`, and `unavailable` if the journal cannot be read.
    package func outputTail(of run: String) async throws(BoardError) -> OutputTail {
        if let tail = feed.output(of: run) { return tail }
        let isClosed = try await self.run(run).endedAt != nil
        let tail = try await read {
            let head = try await journal.outputCount(of: run)
            let lines = try await newestLines(of: run, through: head)
            return OutputTail(head: lines.last?.number ?? head, lines: lines, isClosed: isClosed)
        }
        feed.remember(tail, of: run)
        return tail
    }

    /// The lines of a run's output after a number, oldest first, from memory or from the journal.
    ///
    /// Long lines reduce the number below `limit`, but at least one is returned. Throws `unknownRun`, and `unavailable`
    /// if the journal cannot be read.
    package func output(
        of run: String, after number: SequenceNumber = 0, limit: Int
    ) async throws(BoardError) -> [OutputLine] {
        _ = try await self.run(run)
        if let tail = feed.output(of: run), number >= tail.earlier {
            var portion = BoundedBatch<OutputLine>(limit: limit)
            portion.add(tail.lines(after: number) ?? [], size: \.size)
            return portion.elements
        }
        return try await read { try await portion(ofOutputOf: run, after: number, limit: limit).elements }
    }

    /// The newest lines up to a number, oldest first, by default within the limits of a tail; read backwards in batches.
    func newestLines(
        of run: String, through head: SequenceNumber, limit: Int = OutputTail.lineLimit,
        bytes byteLimit: Int = OutputTail.byteLimit
    ) async throws -> [OutputLine] {
        var lines: [OutputLine] = []
        var (start, bytes) = (head, 0)
        while start > 0, lines.count < limit, bytes < byteLimit {
            let count = min(OutputTail.batch, limit - lines.count)
            let after = start.advanced(by: -count)
            let batch = try await journal.output(of: run, after: after, limit: after.distance(to: start))
            bytes += batch.reduce(0) { $0 + $1.size }
            lines = batch + lines
            // The lines were removed in between; the rest is contiguous.
            if batch.isEmpty { break }
            start = after
        }
        return lines
    }
}
