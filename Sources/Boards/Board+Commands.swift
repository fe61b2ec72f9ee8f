import Journals
public import Operations
public import States

extension Board {
    /// Starts a run, and returns once its opening is recorded; the work goes on meanwhile, and the content is read by it.
    ///
    /// - Parameters:
    ///   - operation: The operation's id.
    ///   - input: A JSON object as the operation's fields say.
    ///   - content: The bytes of the file that came with the request.
    ///   - actor: Who starts it.
    ///   - idempotencyKey: With a key that was used before for the same start, the receipt names the run of then.
    /// - Returns: The run, and the sequence of its first change.
    /// - Throws: `unknownOperation`, `invalidInput` with each field's mistake, `busy`, `overloaded`, `keyReused`,
    ///   `shuttingDown`, and `unavailable`: also when the run goes on but could not be recorded in time.
    public func start(
        _ operation: String, input: JSONValue, content: (any FileContent)? = nil, actor: String,
        idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        let input = try launcher.validate(input, for: operation)
        let opening = RunOpening(actor: actor, input: input, idempotencyKey: idempotencyKey)
        guard let idempotencyKey else { return try await launch(operation, opening, content) }
        return try await desk.alone(with: idempotencyKey) { () async throws(BoardError) -> StartReceipt in
            if let receipt = try await self.receipt(of: idempotencyKey, operation, opening) { return receipt }
            return try await self.launch(operation, opening, content)
        }
    }

    /// Asks a run to stop, and returns once its end is recorded, or after a while.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - actor: Who asks; the run's page names them.
    /// - Returns: The run, and the sequence of its last change so far.
    /// - Throws: `unknownRun`, and `alreadyEnded` for a run whose end is recorded.
    public func cancel(_ run: String, actor: String) async throws(BoardError) -> StartReceipt {
        guard let live = runs[run] else {
            _ = try await self.run(run)
            throw BoardError(.alreadyEnded, "This run has ended already, so there is nothing to cancel.")
        }
        live.cancel(.actor(actor))
        let ended = await live.ended.value(within: configuration.commandTimeout, clock: clock)
        let sequence = ended ?? feed.run(run)?.record.sequence ?? 0
        return StartReceipt(run: run, sequence: sequence, isNew: false)
    }

    /// Starts an ended run's operation again, with the same input unless another is given.
    ///
    /// The bytes of a file are not there again: the operation finds what it kept under the file's id.
    /// - Parameters:
    ///   - run: The ended run's id.
    ///   - input: Another input, or nil for the same.
    ///   - actor: Who asks.
    /// - Returns: The new run, and the sequence of its first change.
    /// - Throws: `unknownRun`, `stillRunning`, and what `start` throws.
    public func retry(_ run: String, input: JSONValue? = nil, actor: String) async throws(BoardError) -> StartReceipt {
        let record = try await self.run(run).record
        guard record.endedAt != nil else {
            throw BoardError(.stillRunning, "This run is still going. Cancel it, or wait until it has ended.")
        }
        let input = try launcher.validate(input ?? record.opening.input, for: record.operation)
        return try await launch(record.operation, RunOpening(actor: actor, input: input, retryOf: run), nil)
    }

    /// Waits until a run has ended and its end is recorded.
    ///
    /// Returns at once for a run that is not going, and when the caller is cancelled.
    public func outcome(of run: String) async {
        _ = await runs[run]?.ended.value()
    }

    private func launch(
        _ operation: String, _ opening: RunOpening, _ content: (any FileContent)?
    ) async throws(BoardError) -> StartReceipt {
        let isWatched = watching.isWatched(operation)
        let onEnd = { @Sendable [weak watching] (run: String, phase: Phase) in
            if isWatched { watching?.ended(operation, run: run, phase) }
        }
        let (live, id, isNew) = try launcher.launch(operation, opening, content: content, onEnd: onEnd)
        if isWatched { watching.adopt(operation, run: id) }
        guard let live else {
            return StartReceipt(run: id, sequence: try await run(id).record.openedSequence, isNew: isNew)
        }
        return StartReceipt(run: id, sequence: try await opened(live), isNew: isNew)
    }

    private func opened(_ run: LiveRun) async throws(BoardError) -> Int64 {
        if let sequence = await run.opened.value(within: configuration.commandTimeout, clock: clock) { return sequence }
        throw BoardError(
            .unavailable,
            "The run was started but could not be recorded yet, and is shown as soon as it is. Its id is \(run.id).")
    }

    /// What the first start under that key was answered, if there was one.
    private func receipt(
        of key: String, _ operation: String, _ asked: RunOpening
    ) async throws(BoardError) -> StartReceipt? {
        guard let entry = catalog[operation] else { throw .unknownOperation(operation) }
        if let live = runs.run(idempotencyKey: key) {
            try IdempotencyDesk.check(live.request.opening, of: live.operation, against: asked, of: entry)
            return StartReceipt(run: live.id, sequence: try await opened(live), isNew: false)
        }
        let record: RunRecord?
        do {
            record = try await journal.run(idempotencyKey: key)
        } catch {
            throw .unreadable(error)
        }
        guard let record else { return nil }
        try IdempotencyDesk.check(record.opening, of: record.operation, against: asked, of: entry)
        return StartReceipt(run: record.id, sequence: record.openedSequence, isNew: false)
    }
}
