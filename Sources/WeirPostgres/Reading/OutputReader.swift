import WeirJournals

/// Reads lines of output.
struct OutputReader {
    private static let columns = "number, at, channel, continues, text"

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// The lines of a run after a number.
    func lines(of run: String, after number: SequenceNumber, limit: Int) throws -> [OutputLine] {
        guard limit > 0 else { return [] }
        return try connection.all(
            """
            SELECT \(Self.columns) FROM weir.output
            WHERE stream = (SELECT opened FROM weir.runs WHERE id = $1) AND number > $2 ORDER BY number LIMIT $3
            """, [AnyText(run), number, limit], read: line)
    }

    /// One line.
    func line(_ number: SequenceNumber, ofStream stream: SequenceNumber) throws -> OutputLine? {
        try connection.first(
            "SELECT \(Self.columns) FROM weir.output WHERE stream = $1 AND number = $2", [stream, number], read: line)
    }

    /// The number of lines of a run.
    func count(of run: String) throws -> SequenceNumber {
        try connection.first(
            "SELECT l.count FROM weir.runs r JOIN weir.lines l ON l.stream = r.opened WHERE r.id = $1", [AnyText(run)]
        ) { try $0.sequence(0) } ?? .zero
    }

    private func line(_ row: PostgresRow) throws -> OutputLine {
        OutputLine(
            number: try row.sequence(0),
            draft: OutputDraft(
                at: row.moment(1), channel: try JournalCode.channel(row.integer(2)), text: row.text(4),
                continues: row.isTrue(3)))
    }
}
