import WeirJournals

/// Decides about reports in order, given the state of their runs in the database, and collects their additions.
///
/// Pure. Decisions are made once before the changes have sequences, and again with the sequences, so that the
/// receipts contain them: nothing else depends on a sequence.
struct ReportPlan {
    /// The state of a run in the database.
    struct Known: Sendable {
        var record: RunRecord?
        var wasRemoved = false
        var lines = SequenceNumber.zero
        var lastLineAt: Timestamp?
        var producers: [String: ProducerState] = [:]
    }

    private(set) var receipts: [ReportReceipt] = []
    private(set) var call = AppendCall()
    private var known: [String: Known]
    private let stored: [String: Known]
    private var head: SequenceNumber

    /// Decides about reports; their changes get the sequences after `head`.
    init(_ reports: [Report], at now: Timestamp, knowing known: [String: Known], after head: SequenceNumber) throws {
        self.known = known
        stored = known
        self.head = head
        for report in reports { receipts.append(try take(report, at: now)) }
    }

    private mutating func take(_ report: Report, at now: Timestamp) throws -> ReportReceipt {
        var run = known[report.run] ?? Known()
        var standing = ReportStanding()
        standing.record = run.record
        standing.wasRemoved = run.wasRemoved
        standing.lines = run.lines
        standing.lastLineAt = run.lastLineAt
        if let producer = report.producer {
            standing.producer = run.producers[producer.id]
            standing.producers = run.producers.count
        }
        switch standing.decision(on: report, at: now) {
        case .answer(let outcome): return standing.receipt(outcome, of: report)
        case .record(let drafts, let lines, let producer):
            let changes = try drafts.map { draft in
                try call.add(draft)
                head = head.next
                let change = Change(sequence: head, draft: draft)
                if run.record == nil { run.record = RunRecord(opening: change) } else { run.record?.apply(change) }
                return change
            }
            // Also without lines, so that the call fails if the run was reported concurrently.
            call.add(lines, to: report.run, known: stored[report.run]?.lines ?? .zero)
            run.lines = run.lines.advanced(by: lines.count)
            run.lastLineAt = lines.last?.at ?? run.lastLineAt
            if let producer, let id = report.producer?.id {
                call.set(producer, of: id, run: report.run)
                run.producers[id] = producer
            }
            known[report.run] = run
            return standing.receipt(
                of: report, changes: changes, lines: OutputLine.numbered(lines, through: run.lines), producer: producer)
        }
    }
}

/// Reads the state of a run on which decisions about its reports depend.
struct ReportReader {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

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
