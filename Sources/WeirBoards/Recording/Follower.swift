import WeirFlows
import WeirJournals
import WeirStates

/// Publishes the changes in the journal in the order of their sequences, whichever server recorded them.
///
/// Changes recorded by this process are passed in, and published directly if they are next in order. Otherwise other
/// servers have recorded changes in between, and the journal is read.
final class Follower: Sendable {
    /// The number of changes published without yielding; a change of a run with many states takes about 50 µs.
    private static let pieceLimit = 50

    private let journal: any Journal
    private let batchLimit: Int
    private let publish: @Sendable ([Change]) -> Void
    private let prepare: @Sendable ([Change]) async throws -> Void
    private let forget: @Sendable ([RunDeletion]) async throws -> Void
    private let lock = AsyncLock()
    private let told: Locked<SequenceNumber>
    private let current = Locked(false)
    /// The next read that has not begun, shared by all callers of `catchUp`.
    private let next = Locked<Task<Void, any Error>?>(nil)

    /// Calls `publish` with each change after `head` once, in order and without overlap.
    ///
    /// `prepare` is called before changes are published, and `forget` with deletions of runs, in their place in the same
    /// order.
    init(
        journal: any Journal, head: SequenceNumber, batchLimit: Int, publish: @escaping @Sendable ([Change]) -> Void,
        prepare: @escaping @Sendable ([Change]) async throws -> Void = { _ in },
        forget: @escaping @Sendable ([RunDeletion]) async throws -> Void = { _ in }
    ) {
        self.journal = journal
        self.batchLimit = batchLimit
        self.publish = publish
        self.prepare = prepare
        self.forget = forget
        told = Locked(head)
    }

    var head: SequenceNumber { told.withLock { $0 } }

    /// Whether the last read reached the end of the journal; false during a read and after a failed one.
    var isCurrent: Bool { current.withLock { $0 } }

    /// Publishes changes that this process has just recorded, and those of other servers before them.
    ///
    /// Throws `JournalError` if the journal must be read and cannot be; the next call then publishes the remaining
    /// changes.
    func take(_ changes: [Change]) async throws {
        try await lock.withLock {
            let head = head
            let rest = changes.drop { $0.sequence <= head }
            guard let first = rest.first else { return }
            guard first.sequence == head.next else { return try await readOn() }
            try await prepare(Array(rest))
            await tell(rest)
        }
    }

    /// Publishes all changes that were recorded before the call.
    ///
    /// Concurrent calls share reads of the journal.
    func catchUp() async throws {
        let look = next.withLock { next in
            if let next { return next }
            let look = Task { [self] in
                try await lock.withLock {
                    self.next.withLock { $0 = nil }
                    try await readOn()
                }
            }
            next = look
            return look
        }
        try await look.value
    }

    func whileNothingIsPublished(_ body: () async throws -> Void) async throws { try await lock.withLock(body) }

    private func readOn() async throws {
        current.withLock { $0 = false }
        while true {
            let changes = try await journal.changes(of: .board, after: head, through: nil, limit: batchLimit)
            // Read after the changes, and only up to the last of them, so that no change before a deletion is missed.
            let deletions = try await journal.deletions(
                after: head, through: changes.last?.sequence ?? .max, limit: changes.isEmpty ? batchLimit : .max)
            if changes.isEmpty {
                guard let last = deletions.last?.sequence else { return current.withLock { $0 = true } }
                // Changes can have been recorded between the two reads; the next read returns them.
                let between = try await journal.changes(of: .board, after: head, through: last, limit: 1)
                guard between.isEmpty else { continue }
            } else {
                try await prepare(changes)
            }
            try await tell(changes[...], and: deletions[...])
        }
    }

    /// Publishes changes and passes deletions in the order of their sequences; those without changes in between together.
    private func tell(_ changes: ArraySlice<Change>, and deletions: ArraySlice<RunDeletion>) async throws {
        var (changes, deletions) = (changes, deletions)
        while let deletion = deletions.first {
            let before = changes.prefix { $0.sequence < deletion.sequence }
            await tell(before)
            changes = changes.dropFirst(before.count)
            let end = changes.first?.sequence ?? .max
            let together = deletions.prefix { $0.sequence < end }
            guard !together.isEmpty else { break }
            deletions = deletions.dropFirst(together.count)
            try await pass(Array(together))
        }
        await tell(changes)
    }

    private func pass(_ deletions: [RunDeletion]) async throws {
        try await forget(deletions)
        if let last = deletions.last?.sequence { told.withLock { $0 = last } }
    }

    private func tell(_ changes: ArraySlice<Change>) async {
        var rest = changes
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.pieceLimit))
            rest = rest.dropFirst(piece.count)
            publish(piece)
            if let last = piece.last?.sequence { told.withLock { $0 = last } }
            if !rest.isEmpty { await Task.yield() }
        }
    }
}

extension Recorder {
    /// Modifies the journal while nothing else is recorded, and publishes the changes that this adds.
    ///
    /// Changes in the meantime are queued and recorded afterwards. The body is not cancelled with the caller, because
    /// the changes that it adds must be published before any that follow. Throws the errors of the body, and
    /// `CancellationError` once the recorder is stopped.
    func whileNothingIsRecorded<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await Task {
            try await lock.withLock {
                guard !isStopped else { throw CancellationError() }
                let result: Swift.Result<Result, any Error>
                do { result = .success(try await body()) } catch { result = .failure(error) }
                await catchUp()
                return try result.get()
            }
        }.value
    }

    /// Publishes changes that were just recorded; if the journal must be read for that, retries until it succeeds.
    func publish(_ changes: [Change]) async {
        monitor.recorded(changes)
        // `catchUp` retries at once, and notes the error if that fails, too.
        do { try await follower.take(changes) } catch { await catchUp() }
    }

    /// Publishes changes that were not added by this recorder; retries until the journal can be read.
    func catchUp() async {
        var failures = 0
        while !isStopped {
            do {
                return try await follower.catchUp()
            } catch {
                note(error)
                failures += 1
                do { try await pause(after: failures) } catch { return }  // Stopped.
            }
        }
    }

    /// Records reports while nothing else is recorded.
    ///
    /// Calls `prepare` with the receipts before their changes are published, then `answer` once: with the receipts
    /// after the publication, or with the error if nothing was recorded.
    func record(
        _ reports: [Report], at now: Timestamp, prepare: @escaping @Sendable ([ReportReceipt]) async -> Void,
        answer: @escaping @Sendable (Result<[ReportReceipt], any Error>) -> Void
    ) async {
        do {
            try await lock.withLock {
                if isStopped { throw CancellationError() }
                do {
                    let receipts = try await timed { try await journal.report(reports, at: now) }
                    await prepare(receipts)
                    await publish(receipts.flatMap(\.changes))
                    noteRecording()
                    answer(.success(receipts))
                } catch {
                    note(error)
                    answer(.failure(error))
                    // The journal may have accepted the reports despite the error.
                    await catchUp()
                }
            }
        } catch {
            answer(.failure(error))
        }
        noteNotices()
    }
}

/// The parts of a board that learn of each recorded change, and of deleted runs.
struct ChangeReceivers: Sendable {
    let feed: Feed
    let runs: LiveRuns
    let stores: LiveStores
    let foreignOutput: ForeignOutput?
    let estimates: Estimates
    let role: MutableStateFlow<BoardRole>
    let acknowledgements: Acknowledgements
    let deleted: DeletionObservers
    let journal: any Journal
    let artifacts: ArtifactStore?
    let scope: FlowScope

    func prepare(_ changes: [Change]) async throws { try await foreignOutput?.prepare(changes) }

    func publish(_ changes: [Change]) {
        feed.publish(changes)
        foreignOutput?.published(changes)
        for change in changes {
            // Before `runs.recorded`, which resumes callers that wait for the end: their next run uses the new estimate.
            if change.state.phase == .succeeded, let run = feed.publication(at: change.sequence)?.run {
                estimates.learn(from: run)
                if role.value == .recording, acknowledgements.current.value[run.record.operation] != nil {
                    scope.launch { [acknowledgements] in
                        await acknowledgements.succeeded(run.record.operation, opened: run.record.openedSequence)
                    }
                }
            }
            runs.recorded(change)
            stores.recorded(change)
        }
    }

    func forget(_ deletions: [RunDeletion]) async throws {
        try await feed.forget(deletions, from: journal)
        let runs = deletions.map(\.run)
        // The server that records removes its files before it answers.
        if role.value == .following {
            scope.launch { [artifacts] in await Board.removeArtifacts(of: runs, in: artifacts) }
        }
        deleted.tell(runs)
    }
}
