import WeirFlows
import WeirJournals
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
    func isCarriedOutByOthers(_ operation: String) -> Bool {
        catalog[operation]?.isResumable != true && !watching.isWatched(operation)
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

/// Starts runs: validates inputs, and enforces the limits of the board.
final class Launcher: Sendable {
    private struct Core {
        var catalog: Catalog
        var starters: [String: any RunStarter] = [:]
    }

    let runs: LiveRuns
    private let configuration: Board.Configuration
    private let recorder: Recorder
    private let estimates: Estimates
    let makeID: @Sendable () -> String
    /// The name of this server among those of the journal, or nil for a single one.
    private let server: @Sendable () -> String?
    private let makeStarter: @Sendable (CatalogEntry, (any RunStarter)?) -> any RunStarter
    private let core: Locked<Core>

    init(
        catalog: Catalog, configuration: Board.Configuration, _ surroundings: RunSurroundings, runs: LiveRuns,
        estimates: Estimates, clock: any Clock<Duration>, makeID: @escaping @Sendable () -> String,
        server: @escaping @Sendable () -> String?
    ) {
        self.server = server
        self.configuration = configuration
        recorder = surroundings.recorder
        self.runs = runs
        self.estimates = estimates
        self.makeID = makeID
        makeStarter = { entry, earlier in
            entry.factory.starter(id: entry.id, after: earlier, surroundings, clock: clock)
        }
        core = Locked(Core(catalog: Catalog()))
        take(catalog)
    }

    var catalog: Catalog { core.withLock { $0.catalog } }

    /// Replaces the catalog; active runs continue with their old operation.
    func take(_ catalog: Catalog) {
        core.withLock { core in
            core.starters = Dictionary(
                catalog.entries.map { ($0.id, makeStarter($0, core.starters[$0.id])) }
            ) { $1 }
            core.catalog = catalog
        }
        runs.resize(operations: catalog.entries.count)
    }

    /// Validates an input; returns it with defaults, and the fields that it was validated against.
    ///
    /// For a run that another server executes, secrets are left out, and any choice is valid: that server has the secrets
    /// and the values of choices, and validates both. Throws `unknownOperation`, `partOfAnother`, `notReported`,
    /// `invalidInput`, and `overloaded` if too many inputs are waiting to be checked.
    func validate(
        _ input: JSONValue, for operation: String, isStep: Bool = false, isElsewhere: Bool = false
    ) async throws(BoardError) -> (input: JSONValue, fields: [InputField]) {
        let entry = try startable(operation, isStep: isStep)
        let fields = isElsewhere ? entry.fields.compactMap(\.elsewhere) : entry.fields
        do {
            return (try await InputField.validate(input, fields: fields, in: .inputs), fields)
        } catch {
            throw .refusal(by: error)
        }
    }

    /// The input of default values, without pattern checks.
    func defaults(of operation: String) throws(BoardError) -> JSONValue {
        let entry = try startable(operation)
        do {
            return try InputField.validate([:], fields: entry.fields)
        } catch {
            throw .invalidInput(error)
        }
    }

    private func startable(_ operation: String, isStep: Bool = false) throws(BoardError) -> CatalogEntry {
        guard let entry = catalog[operation] else { throw .unknownOperation(operation) }
        if let whole = entry.partOf, !isStep {
            throw BoardError(
                .partOfAnother, .partOfAnother, ["whole": .text(catalog[whole]?.title ?? whole)])
        }
        if entry.isReported {
            throw BoardError(.notReported, .reportedOnly, ["operation": BoardError.short(operation)])
        }
        return entry
    }

    /// Starts a run with a validated input, or joins one.
    ///
    /// - Parameters:
    ///   - operation: The operation's id.
    ///   - opening: The input and the actor.
    ///   - secrets: The secret part of the input, which is not recorded.
    ///   - content: The bytes of the input's file.
    ///   - isWatched: Whether the run is watched and therefore takes no place.
    ///   - foreign: The process of another server that executes the run if possible.
    ///   - state: The first state, or nil for the initial one.
    ///   - takesPlace: False for a step, which uses the place of its run.
    ///   - host: Makes the interface to the board for a run of steps.
    ///   - onEnd: Called when a new run has reached its end state, recorded or not.
    /// - Returns: The run, its id, and whether it is new.
    /// - Throws: `unknownOperation`, `shuttingDown`, `overloaded`, `limitReached`, `unavailable`, `noSpace`,
    ///   `invalidInput` and `busy`.
    func launch(
        _ operation: String, _ opening: RunOpening, secrets: [String: JSONValue] = [:],
        content: (any FileContent)? = nil, isWatched: Bool = false, foreign: ForeignStart? = nil,
        from state: StateRecord? = nil, takesPlace: Bool = true, host: ((String, RunOpening) -> StepsHost)? = nil,
        onEnd: @escaping @Sendable (String, Phase) -> Void = { _, _ in }
    ) throws(BoardError) -> (run: LiveRun?, id: String, isNew: Bool) {
        guard let starter = core.withLock({ $0.starters[operation] }) else { throw .unknownOperation(operation) }
        // A run that has parts of its own here, or depends on a run or viewers of this server, is executed here.
        let isHere =
            foreign == nil || content != nil || !secrets.isEmpty || host != nil || state != nil || isWatched
            || !takesPlace
        if isHere, foreign?.run != nil { throw .partsStay(nil) }
        let secrets = isHere ? try withKept(secrets, of: operation) : standIns(for: secrets, of: operation)
        try admit()
        let opening = opening.expecting(estimates.estimate(for: operation))
        let id = foreign?.run ?? makeID()
        var request = StartRequest(
            run: id, opening: opening, content: content, secrets: secrets, host: host?(id, opening),
            beginning: state.map { .init(state: $0) }, isWatched: isWatched)
        if let foreign, !isHere { request.place = .elsewhere(worker: foreign.worker) }
        if !isWatched, takesPlace {
            try runs.takePlace(for: request.run, .init(operation: operation, actor: opening.actor))
        }
        let begun: String
        do {
            begun = try starter.start(request, willBegin: { runs.add($0) }, onEnd: onEnd)
        } catch {
            runs.giveBack(request.run)
            throw error
        }
        if begun != id { runs.giveBack(id) }
        let run = runs[begun]
        if runs.isClosed { run?.shutDown() }
        return (run, begun, begun == id)
    }

    /// Resumes a run that another process has begun or opened: the previous one of this server, or one of another
    /// server.
    ///
    /// With a `failure`, or if this server lacks a kept secret, the run fails at once. Throws `unknownOperation`,
    /// `invalidInput` and `busy`.
    func resume(
        _ record: RunRecord, host: StepsHost? = nil, elapsed: Duration = .zero, place: RunPlace = .here,
        parts: RunParts = RunParts(), failure: (any Error)? = nil
    ) throws(BoardError) {
        guard let starter = core.withLock({ $0.starters[record.operation] }) else {
            throw .unknownOperation(record.operation)
        }
        var (failure, secrets) = (failure, parts.secrets)
        if case .elsewhere = place {
            secrets = standIns(for: secrets, of: record.operation)
        } else if let name = missingSecret(besides: secrets, of: record.operation), host == nil {
            failure = failure ?? NotHere(Self.missing(name, at: server()).description)
            secrets = standIns(for: secrets, of: record.operation)
        } else {
            // If a kept secret of a run of steps has been removed, the step that needs it fails.
            secrets = (try? withKept(secrets, of: record.operation)) ?? secrets
        }
        // The run had a place before; lower limits apply to new runs only.
        try? runs.takePlace(for: record.id, .init(operation: record.operation, actor: record.opening.actor))
        let request = StartRequest(
            run: record.id, opening: record.opening, content: parts.content, secrets: secrets, host: host,
            beginning: .init(state: record.state, revision: record.revision, elapsed: elapsed), place: place,
            failure: failure)
        let begun: String
        do throws(BoardError) {
            begun = try starter.start(
                request,
                willBegin: { live in
                    live.opened.resolve(record.openedSequence)
                    live.output?.open(isResumed: true)
                    runs.add(live)
                }, onEnd: { _, _ in })
        } catch {
            runs.giveBack(record.id)
            throw error
        }
        guard begun == record.id else {
            // The operation now joins a run that began before.
            runs.giveBack(record.id)
            throw BoardError(.busy, OperationBusy(run: begun).message)
        }
        if runs.isClosed { runs[begun]?.shutDown() }
    }

    /// Adds the secrets that the server keeps for fields without a given one.
    private func withKept(
        _ given: [String: JSONValue], of operation: String
    ) throws(BoardError) -> [String: JSONValue] {
        let catalog = catalog
        var secrets = given
        for field in catalog[operation]?.fields ?? [] where secrets[field.name] == nil {
            guard let name = field.kept else { continue }
            guard let secret = catalog.keptSecret(name) else {
                let mistake = InputMistake(field: field.name, message: Self.missing(name, at: server()))
                throw .invalidInput(InputMistakes([mistake]))
            }
            secrets[field.name] = .string(secret)
        }
        return secrets
    }

    private func missingSecret(besides given: [String: JSONValue], of operation: String) -> String? {
        let catalog = catalog
        return (catalog[operation]?.fields ?? []).filter { given[$0.name] == nil }.compactMap(\.kept)
            .first { catalog.keptSecret($0) == nil }
    }

    private static func missing(_ secret: String, at server: String?) -> Message {
        guard let server else { return Message(InputWording.secretNotKept, ["name": .text(secret)]) }
        return Message(InputWording.secretNotKeptAt, ["name": .text(secret), "server": .text(server)])
    }

    /// The error for a run that this server is to execute, and whose input its own file of the operation refuses.
    func refusal(of record: RunRecord) async -> (any Error)? {
        let fields = (catalog[record.operation]?.fields ?? []).filter { !$0.isSecret }
        do {
            _ = try await InputField.validate(record.opening.input, fields: fields, in: .inputs)
            return nil
        } catch let error as InputMistakes where !error.mistakes.allSatisfy(\.isPassing) {
            return error
        } catch {
            return nil
        }
    }

    /// Adds random values for secrets that only the executing server has; they are never used.
    private func standIns(for kept: [String: JSONValue], of operation: String) -> [String: JSONValue] {
        let names = (catalog[operation]?.fields ?? []).filter { $0.isSecret && kept[$0.name] == nil }.map(\.name)
        return kept.merging(names.map { ($0, .string(makeID())) }) { $1 }
    }

    private func admit() throws(BoardError) {
        if runs.isClosed {
            throw .shuttingDown
        }
        if recorder.backlog >= configuration.recordBufferLimit {
            throw .tooMuchWaits
        }
        try configuration.requireSpace()
    }
}

/// Generates run ids: 26 characters of lower-case base 32 that sort by time.
enum RunID {
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")

    /// An id with 10 characters of the time in milliseconds and 16 random ones, as in a ULID.
    static func make(at time: Timestamp, using generator: inout some RandomNumberGenerator) -> String {
        let moment = stride(from: 45, through: 0, by: -5).map { digits[Int(time.milliseconds >> Int64($0) & 31)] }
        let chance = (0..<16).map { _ in digits[Int(generator.next() & 31)] }
        return String(moment + chance)
    }

    static func isPlausible(_ id: String) -> Bool { id.count == 26 && id.allSatisfy(digits.contains) }
}
