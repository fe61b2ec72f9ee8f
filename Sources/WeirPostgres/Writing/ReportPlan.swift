import WeirJournals
import WeirStates

/// Judges reports, one after the other, against what the database knows of their runs, and gathers what they add.
///
/// Pure. The reports are judged before their changes have sequences, and once more with them, so that the receipts name
/// the right ones: nothing else depends on a sequence.
struct ReportPlan {
    /// What is known of a run.
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

    /// Judges reports; their changes get the sequences after `head`.
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
            // Also without lines, so that the call fails if the run was reported of elsewhere in the meantime.
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
