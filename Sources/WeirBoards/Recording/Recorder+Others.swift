import WeirJournals

extension Recorder {
    /// Does something to the journal while nothing is recorded; what that added is published like all else.
    ///
    /// What happens meanwhile gathers, and is recorded afterwards. It is not given up when the caller is cancelled: what
    /// the journal has taken must be published before anything that follows it. Throws what the body throws, and
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

    /// Publishes changes that were just recorded; tries until the journal answers, if it must be read for that.
    func publish(_ changes: [Change]) async {
        // It asks again at once, and notes why the journal does not answer.
        do { try await follower.take(changes) } catch { await catchUp() }
    }

    /// Publishes what others than the recorder have added; tries until the journal answers.
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
}
