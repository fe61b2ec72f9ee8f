package import WeirJournals

/// The position of a part in a run's output.
package enum OutputPlace: Sendable, Hashable {
    case after(SequenceNumber)
    case before(SequenceNumber)
    /// The lines around a line, or the last lines if there is no such line.
    case around(SequenceNumber)
}

/// Consecutive lines from anywhere in a run's output.
package struct OutputPart: Sendable {
    /// The maximum number of lines, and of lines before them that determine their colours.
    package static let lineLimit = 500

    /// The number of the last line of the output.
    package let head: SequenceNumber
    /// Whether the run has ended and no line follows.
    let isClosed: Bool
    package let lines: [OutputLine]
    /// The lines right before `lines`.
    package let context: [OutputLine]
}

extension Board {
    /// A part of a run's output, of at most `limit` lines and about ``answerBytes``, but at least one line if there is one.
    ///
    /// Throws `unknownRun`, and `unavailable` if the journal cannot be read.
    func outputPart(
        of run: String, _ place: OutputPlace, limit: Int
    ) async throws(BoardError) -> OutputPart {
        let tail = try await outputTail(of: run)
        let limit = max(1, min(limit, OutputPart.lineLimit))
        return try await read {
            var lines: [OutputLine]
            switch place {
            case .after(let number):
                lines = try await portion(ofOutputOf: run, after: number, limit: limit).elements
            case .before(let number):
                lines = try await self.lines(of: run, through: min(number.previous, tail.head), limit)
            case .around(let number):
                let before = min(number, tail.head).previous
                lines = try await self.lines(of: run, through: before, limit / 2)
                lines += try await portion(ofOutputOf: run, after: before, limit: limit - limit / 2).elements
            }
            let start = lines.first?.number ?? .zero
            let context = start > 1 ? try await self.lines(of: run, through: start.previous, OutputPart.lineLimit) : []
            // The journal can have removed lines in between.
            let isContiguous = context.last.map { $0.number.next == start } ?? true
            return OutputPart(
                head: tail.head, isClosed: tail.isClosed, lines: lines, context: isContiguous ? context : [])
        }
    }

    /// Searches the whole recorded output of a run.
    ///
    /// Throws `unknownRun`, and `unavailable` if the journal cannot be read or has too many searches.
    func search(_ search: OutputSearch, inOutputOf run: String) async throws(BoardError) -> OutputMatches {
        _ = try await self.run(run)
        return try await read { try await journal.search(search, inOutputOf: run) }
    }

    /// The lines with these numbers, as many as fit into one response, but at least one.
    package func output(of run: String, numbers: [SequenceNumber]) async throws(BoardError) -> [OutputLine] {
        _ = try await self.run(run)
        return try await read {
            var portion = BoundedBatch<OutputLine>(limit: numbers.count)
            var rest = numbers[...]
            while !rest.isEmpty, !portion.isCut {
                let batch = Array(rest.prefix(portion.batch))
                portion.add(try await journal.output(of: run, numbers: batch), size: \.size)
                rest = rest.dropFirst(batch.count)
            }
            return portion.elements
        }
    }

    private func lines(of run: String, through last: SequenceNumber, _ limit: Int) async throws -> [OutputLine] {
        try await newestLines(of: run, through: last, limit: limit, bytes: Board.answerBytes)
    }
}

extension VisibleBoard {
    /// Throws `unknownRun`, and `unavailable`.
    package func outputPart(
        of run: String, _ place: OutputPlace, limit: Int
    ) async throws(BoardError) -> OutputPart {
        _ = try await self.run(run)
        return try await board.outputPart(of: run, place, limit: limit)
    }

    /// Throws `unknownRun`, and `unavailable`.
    package func search(_ search: OutputSearch, inOutputOf run: String) async throws(BoardError) -> OutputMatches {
        _ = try await self.run(run)
        return try await board.search(search, inOutputOf: run)
    }

    /// Throws `unknownRun`, and `unavailable`.
    package func output(of run: String, numbers: [SequenceNumber]) async throws(BoardError) -> [OutputLine] {
        _ = try await self.run(run)
        return try await board.output(of: run, numbers: numbers)
    }
}
