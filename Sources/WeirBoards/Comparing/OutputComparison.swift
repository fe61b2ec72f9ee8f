package import WeirJournals

/// The output of two runs side by side: at most the last ``lineLimit`` lines of each.
package struct OutputComparison: Sendable {
    package static let lineLimit = 5_000
    static let byteLimit = 1_024 * 1_024

    package let first: [OutputLine]
    package let second: [OutputLine]
    package let diff: LineDiff

    /// Computes the difference, in time that is proportional to the number of lines.
    package init(_ first: [OutputLine], _ second: [OutputLine]) {
        self.first = first
        self.second = second
        diff = LineDiff(first.map(\.text), second.map(\.text), ignoresNumbers: true)
    }

    /// Whether earlier lines are not compared.
    package var isPart: Bool { [first, second].contains { ($0.first?.number ?? 1) > 1 } }
}

extension Board {
    /// The newest lines of a run's output that are compared.
    ///
    /// Throws `unavailable` if the journal cannot be read.
    func comparedLines(of run: String) async throws(BoardError) -> [OutputLine] {
        let head = try await outputTail(of: run).head
        return try await read {
            try await newestLines(
                of: run, through: head, limit: OutputComparison.lineLimit, bytes: OutputComparison.byteLimit)
        }
    }
}

extension VisibleBoard {
    /// The newest lines of two runs' output.
    ///
    /// Throws `unknownRun`, and `unavailable`.
    package func comparedLines(
        of first: String, _ second: String
    ) async throws(BoardError) -> (first: [OutputLine], second: [OutputLine]) {
        _ = try await (run(first), run(second))
        return (try await board.comparedLines(of: first), try await board.comparedLines(of: second))
    }
}
