package import WeirJournals
import WeirOperations
public import WeirStates

extension Board {
    /// Cancels a run, and returns once its end is recorded or the command times out.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - actor: The actor who cancels the run; the run's page shows it.
    /// - Returns: The run, and the sequence of its last recorded change, or nil if none is recorded yet.
    /// - Throws: `unknownRun`, and `alreadyEnded` for a run whose end is recorded.
    public func cancel(_ run: String, actor: String) async throws(BoardError) -> StartReceipt {
        guard let live = runs[run] else {
            if follows { return try await handOver(.cancel(run: run, actor: actor)).startReceipt }
            try requireRecording()
            if isReported(run) { return try await cancelReported(run, actor: actor) }
            _ = try await self.run(run)
            throw BoardError(.alreadyEnded, .nothingToCancel)
        }
        live.cancel(.actor(actor))
        let sequence = await sequence(of: live.ended) ?? feed.run(run)?.record.sequence
        return StartReceipt(run: run, sequence: sequence, isNew: false)
    }

    /// Starts the operation of an ended run again, with the same input unless another is given.
    ///
    /// The bytes of a file are not passed again: the operation can find its own copy under the file's id.
    /// - Parameters:
    ///   - run: The ended run's id.
    ///   - input: Another input, or nil for the same.
    ///   - actor: The actor who retries the run.
    ///   - idempotencyKey: If the same actor used the key for the same retry before, the receipt names that run.
    /// - Returns: The new run, and the sequence of its first change.
    /// - Throws: `unknownRun`, `stillRunning`, and the errors of `start`.
    public func retry(
        _ run: String, input: JSONValue? = nil, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        try await retry(run, input: input, actor: actor, idempotencyKey: idempotencyKey, from: nil)
    }

    /// Retries a run, beginning in `state` instead of the initial state, or in a process of another server.
    func retry(
        _ run: String, input: JSONValue? = nil, actor: String, idempotencyKey: String?, from state: StateRecord?,
        foreign: ForeignStart? = nil
    ) async throws(BoardError) -> StartReceipt {
        let record = try await self.run(run)
        if follows {
            if runs.isClosed { throw .shuttingDown }
            return try await handOverRetry(of: record, input: input, actor: actor, idempotencyKey: idempotencyKey)
        }
        guard record.endedAt != nil else { throw .stillActive }
        if input == nil { try requireNoSecrets(of: record.operation) }
        let (input, secrets) = try await parted(
            input ?? record.opening.input, for: record.operation,
            isElsewhere: foreign != nil && isCarriedOutByOthers(record.operation))
        let opening = RunOpening(actor: actor, input: input, retrying: record, idempotencyKey: idempotencyKey)
        return try await begin(record.operation, opening, secrets, nil, from: state, foreign: foreign)
    }

    private func handOverRetry(
        of run: RunRecord, input: JSONValue?, actor: String, idempotencyKey: String?
    ) async throws(BoardError) -> StartReceipt {
        var (given, secrets): (JSONValue?, [String: JSONValue]) = (nil, [:])
        if let input { (given, secrets) = try await parted(input, for: run.operation) }
        if let given, !secrets.isEmpty {
            return try await handOver(
                startOf: run.operation, input: given, retryOf: run.id, actor: actor, key: idempotencyKey,
                keeping: RunParts(secrets: secrets))
        }
        let command = BoardCommand.retry(run: run.id, input: given, actor: actor, key: idempotencyKey)
        return try await handOver(command).startReceipt
    }

    /// Throws if the operation has secret fields: their values are not recorded, so a retry must supply an input.
    private func requireNoSecrets(of operation: String) throws(BoardError) {
        let secret = (catalog[operation]?.fields ?? []).filter { $0.isSecret && $0.kept == nil }
        guard !secret.isEmpty else { return }
        let message = Message(InputWording.secretAgain)
        throw .invalidInput(InputMistakes(secret.map { InputMistake(field: $0.name, message: message) }))
    }

    /// Waits until a run has ended and its end is recorded.
    ///
    /// Returns immediately if the run is not active, and when the calling task is cancelled.
    public func outcome(of run: String) async {
        await worker?.parts.beginning(of: run)
        _ = await runs[run]?.ended.value()
    }

    /// The time a command keeps waiting after recording fails: long enough for a brief failure of the journal, and
    /// shorter than clients wait before they send the command again.
    static let patience: Duration = .milliseconds(500)

    /// The sequence of a recorded change, or nil if it is not recorded within the command timeout.
    func sequence(of recorded: Deferred<SequenceNumber>) async -> SequenceNumber? {
        if let sequence = recorded.resolved { return sequence }
        return await withTaskGroup(of: SequenceNumber?.self) { [recorder, clock, configuration] group in
            group.addTask { await recorded.value() }
            group.addTask {
                // A cancelled sleep also ends the wait: the caller was cancelled, or the sequence is known.
                try? await clock.sleep(for: configuration.commandTimeout)
                return nil
            }
            group.addTask {
                _ = await recorder.status.first { $0 != .recording }
                try? await clock.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// The result of a command: the run that it concerned, and the change that it produced.
public struct StartReceipt: Sendable, Hashable {
    /// The run's id.
    public let run: String
    /// The sequence of the change that the command produced; a view at this sequence or later includes it.
    ///
    /// Nil if the change was not recorded in time. The command has taken effect nevertheless and must not be repeated.
    package let sequence: SequenceNumber?
    /// False if the run existed before: found by its idempotency key, or joined.
    public let isNew: Bool

    package init(run: String, sequence: SequenceNumber?, isNew: Bool) {
        self.run = run
        self.sequence = sequence
        self.isNew = isNew
    }
}
