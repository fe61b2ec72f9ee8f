import WeirFlows
import WeirJournals

/// Records what reporters send: gathers reports while one transaction is under way, and takes them with the next.
///
/// A report is answered when it is recorded and published, or refused with nothing done. Where the journal took it and
/// failed to say so, the refusal is wrong, and the same report sent again is known as what it is by its producer.
final class ReportRecorder: Sendable {
    private struct Entry {
        let report: Report
        let answer: Deferred<Result<ReportReceipt, BoardError>>

        /// How much of a transaction it takes.
        var weight: Int { report.entries.count + 1 }
    }

    private struct Core {
        var waiting: [Entry] = []
        var weight = 0
        var underWay = 0
        var isDraining = false

        /// The first of those that wait, as many as one transaction takes; nil when none waits, and nobody drains then.
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

    /// How many reports wait for the next transaction, or are in the one that is under way.
    var waiting: Int { core.withLock { $0.waiting.count + $0.underWay } }

    /// Takes a report, and returns once what became of it is recorded.
    ///
    /// It is not given up when the caller is cancelled.
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

    /// Shows the lines before the changes, so that a run's end is never shown before what it printed.
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

    /// Shows lines that the journal took without saying so.
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
    /// For reports that come when nothing is recorded any more.
    static var stopping: BoardError {
        BoardError(.shuttingDown, .shuttingDownSend)
    }
}

extension Recorder {
    /// Records reports while nothing else is recorded.
    ///
    /// - Parameters:
    ///   - reports: What reporters sent.
    ///   - now: The moment of their changes and lines.
    ///   - prepare: Called with the receipts before their changes are published.
    ///   - answer: Called once, with the receipts after their changes are published, or with why nothing was recorded.
    func record(
        _ reports: [Report], at now: Timestamp, prepare: @escaping @Sendable ([ReportReceipt]) async -> Void,
        answer: @escaping @Sendable (Result<[ReportReceipt], any Error>) -> Void
    ) async {
        do {
            try await lock.withLock {
                if isStopped { throw CancellationError() }
                do {
                    let receipts = try await journal.report(reports, at: now)
                    await prepare(receipts)
                    await publish(receipts.flatMap(\.changes))
                    noteRecording()
                    answer(.success(receipts))
                } catch {
                    note(error)
                    answer(.failure(error))
                    // It may have taken them and failed to say so.
                    await catchUp()
                }
            }
        } catch {
            answer(.failure(error))
        }
        noteNotices()
    }
}
