import GRDB

/// Records reports within one transaction: changes, lines and producer states.
struct ReportTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Records a report entirely or not at all.
    func take(_ report: Report, at now: Timestamp) throws -> ReportReceipt {
        let standing = try standing(of: report)
        switch standing.decision(on: report, at: now) {
        case .answer(let outcome): return standing.receipt(outcome, of: report)
        case .record(let drafts, let lines, let producer):
            var changes: [Change] = []
            if !drafts.isEmpty {
                let writer = try ChangeWriter(database)
                changes = try drafts.map { try writer.add($0) }
                try writer.finish()
            }
            var added: [OutputLine] = []
            if !lines.isEmpty {
                let last = try OutputTable(database).append(lines, to: report.run)
                added = OutputLine.numbered(lines, through: last)
            }
            if let producer, let id = report.producer?.id { try set(producer, of: id, run: report.run) }
            return standing.receipt(of: report, changes: changes, lines: added, producer: producer)
        }
    }

    private func standing(of report: Report) throws -> ReportStanding {
        var standing = ReportStanding()
        guard let record = try RunReader(database).run(report.run) else {
            standing.wasRemoved = try wasRemoved(report.run)
            return standing
        }
        standing.record = record
        let stream = record.openedSequence
        standing.lines = try OutputTable(database).count(of: report.run)
        if standing.lines > 0 {
            standing.lastLineAt = try SQLStatement(
                database, "SELECT at FROM output WHERE stream = ? AND number = ?"
            ).first(stream, standing.lines) { Timestamp(milliseconds: $0.integer(0)) }
        }
        guard let producer = report.producer else { return standing }
        standing.producer = try SQLStatement(
            database, "SELECT epoch, number, closed FROM producers WHERE stream = ? AND id = ?"
        ).first(stream, producer.id) {
            ProducerState(epoch: try $0.sequence(0), number: try $0.sequence(1), hasClosed: $0.integer(2) == 1)
        }
        if standing.producer == nil {
            let count = try SQLStatement(database, "SELECT count(*) FROM producers WHERE stream = ?")
                .first(stream) { $0.integer(0) }
            standing.producers = Int(clamping: count ?? 0)
        }
        return standing
    }

    private func set(_ state: ProducerState, of producer: String, run: String) throws {
        try SQLStatement(
            database,
            """
            INSERT INTO producers (stream, id, epoch, number, closed)
            VALUES ((SELECT opened FROM runs WHERE id = ?), ?, ?, ?, ?)
            ON CONFLICT (stream, id) DO UPDATE
            SET epoch = excluded.epoch, number = excluded.number, closed = excluded.closed
            """
        ).run(run, producer, state.epoch, state.number, state.hasClosed)
    }

    // MARK: Removed runs

    /// The number of removed run ids that are remembered.
    private static let memory: Int64 = 1_000_000

    private func wasRemoved(_ run: String) throws -> Bool {
        try SQLStatement(database, "SELECT 1 FROM removed_reports WHERE id = ?").first(run) { _ in true } ?? false
    }

    /// Reserves the id of a run that is removed, if it was reported here.
    func remember(removed stream: Int64) throws {
        let id = try SQLStatement(
            database, "SELECT id FROM runs WHERE opened = ? AND report IS NOT NULL AND epoch IS NULL"
        ).first(stream) { $0.text(0) }
        guard let id else { return }
        try SQLStatement(database, "INSERT OR IGNORE INTO removed_reports (id) VALUES (?)").run(id)
        try SQLStatement(
            database,
            "DELETE FROM removed_reports WHERE place <= (SELECT max(place) FROM removed_reports) - \(Self.memory)"
        ).run()
    }

    func forgetProducers(of stream: Int64) throws {
        try SQLStatement(database, "DELETE FROM producers WHERE stream = ?").run(stream)
    }
}

extension SQLiteJournal {
    package func report(_ reports: [Report], at now: Timestamp) async throws -> [ReportReceipt] {
        try await write { database in
            let table = ReportTable(database)
            return try reports.map { try table.take($0, at: now) }
        }
    }
}
