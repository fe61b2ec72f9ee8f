import WeirJournals

/// Reads what a report of a run is judged by.
struct ReportReader {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// What is known of the run with an id.
    func known(_ run: String) throws -> ReportPlan.Known {
        var known = ReportPlan.Known()
        guard let record = try RunReader(connection).run(run) else {
            known.wasRemoved =
                try connection.first("SELECT true FROM weir.removed_reports WHERE id = $1", [AnyText(run)]) { _ in true
                }
                ?? false
            return known
        }
        known.record = record
        let stream = record.openedSequence
        known.lines = try OutputReader(connection).count(of: run)
        known.lastLineAt = try OutputReader(connection).line(known.lines, ofStream: stream)?.at
        let producers = try connection.all(
            "SELECT id, epoch, number, closed FROM weir.producers WHERE stream = $1", [stream]
        ) { row in
            (
                row.text(0),
                ProducerState(epoch: try row.sequence(1), number: try row.sequence(2), hasClosed: row.isTrue(3))
            )
        }
        known.producers = Dictionary(producers) { $1 }
        return known
    }
}
