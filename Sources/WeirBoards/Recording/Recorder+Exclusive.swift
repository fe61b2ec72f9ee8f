import WeirJournals

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
