import WeirJournals
public import WeirOperations
public import WeirStates

extension Board {
    /// Starts a run, and returns once its opening is recorded; the work goes on meanwhile, and the content is read by it.
    ///
    /// Either the run exists, and the receipt names it, or nothing was started and this throws. A receipt without a
    /// sequence names a run that has begun and is not recorded yet.
    ///
    /// - Parameters:
    ///   - operation: The operation's id.
    ///   - input: A JSON object as the operation's fields say.
    ///   - content: The bytes of the file that came with the request.
    ///   - actor: Who starts it.
    ///   - idempotencyKey: With a key that the same actor used before for the same start, the receipt names the run of
    ///     then.
    /// - Returns: The run, and the sequence of its first change.
    /// - Throws: `unknownOperation`, `invalidInput` with each field's mistake, `busy`, `overloaded`, `keyReused`,
    ///   `shuttingDown`, and `unavailable` when too much waits to be recorded.
    public func start(
        _ operation: String, input: JSONValue, content: (any FileContent)? = nil, actor: String,
        idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        try await start(
            operation, input: input, content: content, actor: actor, idempotencyKey: idempotencyKey, foreign: nil)
    }

    /// The same, for a process of another server that is to carry it out.
    func start(
        _ operation: String, input: JSONValue, content: (any FileContent)? = nil, actor: String,
        idempotencyKey: String?, foreign: ForeignStart?
    ) async throws(BoardError) -> StartReceipt {
        let (input, secrets) = try await parted(input, for: operation)
        if follows {
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

    /// Asks a run to stop, and returns once its end is recorded, or after a while.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - actor: Who asks; the run's page names them.
    /// - Returns: The run, and the sequence of its last change so far; none when nothing of it is recorded yet.
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

    /// Starts an ended run's operation again, with the same input unless another is given.
    ///
    /// The bytes of a file are not there again: the operation finds what it kept under the file's id.
    /// - Parameters:
    ///   - run: The ended run's id.
    ///   - input: Another input, or nil for the same.
    ///   - actor: Who asks.
    ///   - idempotencyKey: With a key that the same actor used before for the same retry, the receipt names the run of
    ///     then.
    /// - Returns: The new run, and the sequence of its first change.
    /// - Throws: `unknownRun`, `stillRunning`, and what `start` throws.
    public func retry(
        _ run: String, input: JSONValue? = nil, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        try await retry(run, input: input, actor: actor, idempotencyKey: idempotencyKey, from: nil)
    }

    /// The same, in another state than the initial one, or for a process of another server that is to carry it out.
    func retry(
        _ run: String, input: JSONValue? = nil, actor: String, idempotencyKey: String?, from state: StateRecord?,
        foreign: ForeignStart? = nil
    ) async throws(BoardError) -> StartReceipt {
        let record = try await self.run(run)
        if follows {
            return try await handOverRetry(of: record, input: input, actor: actor, idempotencyKey: idempotencyKey)
        }
        guard record.endedAt != nil else { throw .stillActive }
        if input == nil { try requireNoSecrets(of: record.operation) }
        let (input, secrets) = try await parted(input ?? record.opening.input, for: record.operation)
        let opening = RunOpening(actor: actor, input: input, retryOf: run, idempotencyKey: idempotencyKey)
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

    /// An input that fits, without its secrets, and the secrets.
    func parted(
        _ input: JSONValue, for operation: String, isStep: Bool = false
    ) async throws(BoardError) -> (recorded: JSONValue, secrets: [String: JSONValue]) {
        let (input, fields) = try await launcher.validate(input, for: operation, isStep: isStep)
        return InputField.parting(input, fields: fields)
    }

    /// A retry without an input would go without the secrets, which nobody has any more.
    private func requireNoSecrets(of operation: String) throws(BoardError) {
        let secret = (catalog[operation]?.fields ?? []).filter { $0.isSecret && $0.kept == nil }
        guard !secret.isEmpty else { return }
        let message = Message(InputWording.secretAgain)
        throw .invalidInput(InputMistakes(secret.map { InputMistake(field: $0.name, message: message) }))
    }

    /// Waits until a run has ended and its end is recorded.
    ///
    /// Returns at once for a run that is not going, and when the caller is cancelled.
    public func outcome(of run: String) async {
        await worker?.parts.beginning(of: run)
        _ = await runs[run]?.ended.value()
    }

    /// How long a command still waits once it is known that nothing is being recorded: long enough for a journal that
    /// only stumbled, and shorter than the patience of whoever asked, who would ask again.
    static let patience: Duration = .milliseconds(500)

    /// The sequence under which something is recorded; nil when that does not happen in time.
    func sequence(of recorded: Deferred<SequenceNumber>) async -> SequenceNumber? {
        if let sequence = recorded.resolved { return sequence }
        return await withTaskGroup(of: SequenceNumber?.self) { [recorder, clock, configuration] group in
            group.addTask { await recorded.value() }
            group.addTask {
                // A sleep that is cut short ends the waiting as well: the caller has gone, or the sequence has come.
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

    /// Starts a run whose input fits, or finds the one that its key led to.
    func begin(
        _ operation: String, _ opening: RunOpening, _ secrets: [String: JSONValue], _ content: (any FileContent)?,
        from state: StateRecord? = nil, isStep: Bool = false, foreign: ForeignStart? = nil
    ) async throws(BoardError) -> StartReceipt {
        try requireRecording()
        guard let key = opening.idempotencyKey else {
            return try await launch(operation, opening, secrets, content, from: state, foreign: foreign)
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
        // From here on the run exists: whatever fails, the answer is the run.
        guard let live else {
            let record = try? await run(id)
            return StartReceipt(run: id, sequence: record?.openedSequence, isNew: isNew)
        }
        return StartReceipt(run: id, sequence: await sequence(of: live.opened), isNew: isNew)
    }

    /// What the first start under that key was answered, if there was one.
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
