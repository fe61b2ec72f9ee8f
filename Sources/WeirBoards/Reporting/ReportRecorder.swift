import WeirFlows
import WeirJournals

/// Records reports in batches: reports that arrive during a transaction are recorded by the next one.
///
/// A report is answered once it is recorded and published, or refused without effect. If the journal accepted a report
/// despite an error, the refusal is wrong; the report sent again is then recognized by its producer's numbers.
final class ReportRecorder: Sendable {
    private struct Entry {
        let report: Report
        let answer: Deferred<Result<ReportReceipt, BoardError>>

        var weight: Int { report.entries.count + 1 }
    }

    private struct Core {
        var waiting: [Entry] = []
        var weight = 0
        var underWay = 0
        var isDraining = false

        /// Removes and returns the reports of the next transaction; returns nil, and ends the drain, if none wait.
        mutating func next(_ limit: Int) -> [Entry]? {
            var sum = 0
            let batch = waiting.prefix { entry in
                defer { sum += entry.weight }
                return sum == 0 || sum + entry.weight <= limit
            }
            waiting.removeFirst(batch.count)
            weight -= batch.reduce(0) { $0 + $1.weight }
            underWay = batch.count
            if batch.isEmpty { isDraining = false }
            return batch.isEmpty ? nil : Array(batch)
        }
    }

    private let recorder: Recorder
    private let feed: Feed
    private let journal: any Journal
    private let configuration: Board.Configuration
    private let now: @Sendable () -> Timestamp
    private let core = Locked(Core())
    private let scope = FlowScope(executor: nil)

    init(
        recorder: Recorder, feed: Feed, journal: any Journal, configuration: Board.Configuration,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.recorder = recorder
        self.feed = feed
        self.journal = journal
        self.configuration = configuration
        self.now = now
    }

    var waiting: Int { core.withLock { $0.waiting.count + $0.underWay } }

    /// Records a report, and returns its result once it is recorded.
    ///
    /// The report is not withdrawn if the calling task is cancelled.
    func take(_ report: Report) async throws(BoardError) -> ReportReceipt {
        let entry = Entry(report: report, answer: Deferred())
        let (isTaken, drains) = core.withLock { core -> (Bool, Bool) in
            guard core.weight < configuration.recordBufferLimit else { return (false, false) }
            core.waiting.append(entry)
            core.weight += entry.weight
            defer { core.isDraining = true }
            return (true, !core.isDraining)
        }
        guard isTaken, !recorder.isStopped else { throw .tooMuchWaits }
        if drains { scope.launch { await self.drain() } }
        guard let answer = await entry.answer.value() else {
            throw BoardError(.unavailable, .reportGivenUp)
        }
        return try answer.get()
    }

    private func drain() async {
        while let batch = core.withLock({ $0.next(configuration.batchLimit) }) {
            await recorder.record(batch.map(\.report), at: now()) { [self] receipts in
                await prepare(receipts, of: batch.map(\.report))
            } answer: { [feed] result in
                switch result {
                case .success(let receipts):
                    for (entry, receipt) in zip(batch, receipts) {
                        if receipt.isEnded { feed.closeOutput(of: entry.report.run) }
                        entry.answer.resolve(.success(receipt))
                    }
                case .failure(let error):
                    let refusal: BoardError =
                        error is CancellationError ? .stopping : .unreadable(error)
                    for entry in batch { entry.answer.resolve(.failure(refusal)) }
                }
            }
        }
    }

    /// Publishes lines before changes, so that the end of a run is never visible before its output.
    private func prepare(_ receipts: [ReportReceipt], of reports: [Report]) async {
        for (report, receipt) in zip(reports, receipts) where receipt.outcome == .taken {
            if report.opening != nil { feed.openOutput(of: report.run) }
            guard let first = receipt.lines.first else { continue }
            if let tail = feed.output(of: report.run), tail.head < first.number.previous {
                await catchUp(report.run, from: tail.head, to: first.number.previous)
            }
            feed.publish(receipt.lines, of: report.run)
        }
    }

    /// Publishes lines that the journal accepted despite an error.
    private func catchUp(_ run: String, from head: SequenceNumber, to last: SequenceNumber) async {
        let after = max(head, last.advanced(by: -OutputTail.lineLimit))
        do {
            feed.publish(try await journal.output(of: run, after: after, limit: OutputTail.lineLimit), of: run)
        } catch {
            recorder.note(error)
        }
    }
}

extension BoardError {
    static var stopping: BoardError {
        BoardError(.shuttingDown, .shuttingDownSend)
    }
}
