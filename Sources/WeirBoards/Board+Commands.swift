package import WeirJournals
public import WeirOperations
public import WeirStates

extension Board {
    /// Starts a run, and returns once its opening is recorded; the work, which reads the content, runs concurrently.
    ///
    /// If this throws, no run was started. A receipt without a sequence names a run that has begun and is not recorded
    /// yet.
    ///
    /// - Parameters:
    ///   - operation: The operation's id.
    ///   - input: A JSON object that matches the operation's fields.
    ///   - content: The bytes of the file in the request.
    ///   - actor: The actor who starts the run.
    ///   - idempotencyKey: If the same actor used the key for the same start before, the receipt names that run.
    /// - Returns: The run, and the sequence of its first change.
    /// - Throws: `unknownOperation`, `invalidInput` with each field's mistake, `busy`, `overloaded`, `keyReused`,
    ///   `shuttingDown`, and `unavailable` when too many changes are pending.
    public func start(
        _ operation: String, input: JSONValue, content: (any FileContent)? = nil, actor: String,
        idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        try await start(
            operation, input: input, content: content, actor: actor, idempotencyKey: idempotencyKey, foreign: nil)
    }

    /// Starts a run, which a process of another server executes if `foreign` is not nil.
    func start(
        _ operation: String, input: JSONValue, content: (any FileContent)? = nil, actor: String,
        idempotencyKey: String?, foreign: ForeignStart?
    ) async throws(BoardError) -> StartReceipt {
        let (input, secrets) = try await parted(
            input, for: operation, isElsewhere: foreign != nil && isCarriedOutByOthers(operation))
        if follows {
            if runs.isClosed { throw .shuttingDown }
            let parts = RunParts(secrets: secrets, content: content)
            guard parts.isEmpty else {
                return try await handOver(
                    startOf: operation, input: input, actor: actor, key: idempotencyKey, keeping: parts)
            }
            let command = BoardCommand.start(operation: operation, input: input, actor: actor, key: idempotencyKey)
            return try await handOver(command).startReceipt
        }
        return try await begin(
            operation, RunOpening(actor: actor, input: input, idempotencyKey: idempotencyKey), secrets, content,
            foreign: foreign)
    }

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

    /// Validates an input, and separates its secrets from the part that is recorded.
    func parted(
        _ input: JSONValue, for operation: String, isStep: Bool = false, isElsewhere: Bool = false
    ) async throws(BoardError) -> (recorded: JSONValue, secrets: [String: JSONValue]) {
        let (input, fields) = try await launcher.validate(
            input, for: operation, isStep: isStep, isElsewhere: isElsewhere)
        return InputField.parting(input, fields: fields)
    }

    /// Whether other servers can execute runs of the operation; the recording server executes runs of steps and watched
    /// operations.
    private func isCarriedOutByOthers(_ operation: String) -> Bool {
        catalog[operation]?.isResumable != true && !watching.isWatched(operation)
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

    /// Starts a run with a validated input, or returns the run that an earlier start with the same key produced.
    func begin(
        _ operation: String, _ opening: RunOpening, _ secrets: [String: JSONValue], _ content: (any FileContent)?,
        from state: StateRecord? = nil, isStep: Bool = false, foreign: ForeignStart? = nil
    ) async throws(BoardError) -> StartReceipt {
        try requireRecording()
        guard let key = opening.idempotencyKey else {
            return try await launch(
                operation, opening, secrets, content, from: state, isStep: isStep, foreign: foreign)
        }
        let scope = IdempotencyRegistry.Scope.run(operation: operation, actor: opening.actor, key: key)
        return try await idempotency.withLock(with: scope) { () async throws(BoardError) -> StartReceipt in
            if let receipt = try await self.receipt(of: scope, key, operation, opening) { return receipt }
            let receipt = try await self.launch(
                operation, opening, secrets, content, from: state, isStep: isStep, foreign: foreign)
            if !receipt.isNew { self.idempotency.remember(.init(run: receipt.run, opening: opening), under: scope) }
            return receipt
        }
    }

    private func launch(
        _ operation: String, _ opening: RunOpening, _ secrets: [String: JSONValue], _ content: (any FileContent)?,
        from state: StateRecord?, isStep: Bool = false, foreign: ForeignStart?
    ) async throws(BoardError) -> StartReceipt {
        let isWatched = watching.isWatched(operation)
        if isWatched, foreign?.run != nil { throw .partsStay(nil) }
        let onEnd = { @Sendable [weak watching] (run: String, phase: Phase) in
            if isWatched { watching?.ended(operation, run: run, phase) }
        }
        let (live, id, isNew) = try launcher.launch(
            operation, opening, secrets: secrets, content: content, foreign: isWatched ? nil : foreign,
            from: state, takesPlace: !isStep,
            host: catalog[operation]?.isResumable == true ? { self.host($0, $1) } : nil, onEnd: onEnd)
        if isWatched { watching.adopt(operation, run: id) }
        // The run exists from here on: no failure below may be reported as a failed start.
        guard let live else {
            let record = try? await run(id)
            return StartReceipt(run: id, sequence: record?.openedSequence, isNew: isNew)
        }
        let sequence = await sequence(of: live.opened)
        // Its work may have begun, and its opening will not be recorded.
        if sequence == nil, recorder.isFenced { throw .outcomeUnknown(of: nil) }
        return StartReceipt(run: id, sequence: sequence, isNew: isNew)
    }

    private func receipt(
        of scope: IdempotencyRegistry.Scope, _ key: String, _ operation: String, _ asked: RunOpening
    ) async throws(BoardError) -> StartReceipt? {
        guard let entry = catalog[operation] else { throw .unknownOperation(operation) }
        if let joined = idempotency.joined(under: scope) {
            try IdempotencyRegistry.check(joined.opening, against: asked, of: entry)
            let record = try? await run(joined.run)
            return StartReceipt(run: joined.run, sequence: record?.openedSequence, isNew: false)
        }
        if let live = runs.run(idempotencyKey: key, operation: operation, actor: asked.actor) {
            try IdempotencyRegistry.check(live.request.opening, against: asked, of: entry)
            return StartReceipt(run: live.id, sequence: await sequence(of: live.opened), isNew: false)
        }
        let record: RunRecord?
        do {
            record = try await journal.run(idempotencyKey: key, operation: operation, actor: asked.actor)
        } catch {
            throw .unreadable(error)
        }
        guard let record else { return nil }
        try IdempotencyRegistry.check(record.opening, against: asked, of: entry)
        return StartReceipt(run: record.id, sequence: record.openedSequence, isNew: false)
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
