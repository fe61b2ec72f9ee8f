/// The producers of reported runs, and the ids of removed ones, of a journal in memory.
struct MemoryReports: Sendable {
    /// The number of removed run ids that are remembered.
    static let memory = 1_000_000

    private var producers: [String: [String: ProducerState]] = [:]
    private var removed: Set<String> = []
    private var order: [String] = []

    func wasRemoved(_ run: String) -> Bool { removed.contains(run) }

    func state(of producer: String, run: String) -> ProducerState? { producers[run]?[producer] }

    func count(of run: String) -> Int { producers[run]?.count ?? 0 }

    mutating func set(_ state: ProducerState, of producer: String, run: String) {
        producers[run, default: [:]][producer] = state
    }

    /// Removes the producers of a removed run; its id stays reserved if it was reported here.
    mutating func remove(_ run: RunRecord) {
        producers[run.id] = nil
        guard run.isReportedHere, removed.insert(run.id).inserted else { return }
        order.append(run.id)
        if order.count > 2 * Self.memory {
            for id in order.prefix(Self.memory) { removed.remove(id) }
            order.removeFirst(Self.memory)
        }
    }
}

extension MemoryLog {
    /// Records reports in order, each entirely or not at all.
    mutating func report(_ all: [Report], at now: Timestamp) throws(JournalError) -> [ReportReceipt] {
        // The only possible failure, checked first so that nothing is recorded when this throws: two changes per
        // report, plus its states.
        let most = all.reduce(0) { $0 + $1.entries.count + 2 }
        guard head.distance(to: .max) >= most else { throw .noPlaceLeft }
        var receipts: [ReportReceipt] = []
        for report in all { receipts.append(try take(report, at: now)) }
        return receipts
    }

    private mutating func take(_ report: Report, at now: Timestamp) throws(JournalError) -> ReportReceipt {
        var standing = ReportStanding()
        standing.record = run(report.run)
        standing.wasRemoved = reports.wasRemoved(report.run)
        standing.lines = outputCount(of: report.run)
        standing.lastLineAt = output(of: report.run, after: standing.lines.previous, limit: 1).last?.at
        if let producer = report.producer {
            standing.producer = reports.state(of: producer.id, run: report.run)
            standing.producers = reports.count(of: report.run)
        }
        switch standing.decision(on: report, at: now) {
        case .answer(let outcome): return standing.receipt(outcome, of: report)
        case .record(let drafts, let lines, let producer):
            let changes = try append(drafts)
            var added: [OutputLine] = []
            if !lines.isEmpty {
                let last = try appendOutput(run: report.run, lines: lines)
                added = OutputLine.numbered(lines, through: last)
            }
            if let producer, let id = report.producer?.id { reports.set(producer, of: id, run: report.run) }
            return standing.receipt(of: report, changes: changes, lines: added, producer: producer)
        }
    }
}
