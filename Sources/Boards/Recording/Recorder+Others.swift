import Journals

extension Recorder {
    /// Does something to the journal while nothing is recorded; what that added is told to `onRecorded` like all else.
    ///
    /// What happens meanwhile gathers, and is recorded afterwards. It is not given up when the caller is cancelled: what
    /// the journal has taken must be told before anything that follows it. Throws what the body throws.
    func whileNothingIsRecorded<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await Task {
            try await lock.withLock {
                let result: Swift.Result<Result, any Error>
                do { result = .success(try await body()) } catch { result = .failure(error) }
                await catchUp()
                return try result.get()
            }
        }.value
    }

    /// Reads what others than the recorder have added, and tells it; tries until the journal answers.
    func catchUp() async {
        var failures = 0
        while !isStopped {
            do {
                while try await tellNext() {}
                return
            } catch {
                note(error)
                failures += 1
                do { try await pause(after: failures) } catch { return }  // Stopped.
            }
        }
    }

    /// Tells some of the changes that are in the journal and have not been told; false when there were none.
    private func tellNext() async throws -> Bool {
        let changes = try await journal.changes(
            of: .board, after: recorded, through: nil, limit: configuration.batchLimit)
        guard let last = changes.last?.sequence else { return false }
        onRecorded(changes)
        tell(recorded: last)
        return true
    }
}
