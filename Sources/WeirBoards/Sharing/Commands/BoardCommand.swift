import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// A command that one server sends to another, encoded as JSON: everything except files and secrets.
///
/// The sending server has checked the permissions; `actor` identifies the sender. A server of another version refuses a
/// case that it does not know.
enum BoardCommand: Sendable, Hashable, Codable {
    case start(operation: String, input: JSONValue, actor: String, key: String?)
    /// Starts a run with that id, which the sending server carries out because it holds the file or secrets of the
    /// start; the input lacks the secrets.
    case startThere(run: String, operation: String, input: JSONValue, retryOf: String?, actor: String, key: String?)
    case cancel(run: String, actor: String)
    case delete(runs: [String], actor: String)
    case retry(run: String, input: JSONValue?, actor: String, key: String?)
    case retryFromFailedStep(run: String, from: String?, actor: String, key: String?)
    case decide(run: String, step: String, isApproved: Bool, comment: String?, actor: String)
    case dispatch(action: JSONValue, store: String, actor: String, key: String?)
    case rehydrate(store: String, state: JSONValue, actor: String, key: String?)
    case returnTo(store: String, sequence: SequenceNumber, actor: String, key: String?)
    case reset(store: String, actor: String, key: String?)
    case pauseSchedule(operation: String, actor: String, reason: String?)
    case resumeSchedule(operation: String)
    case acknowledge(operation: String, Acknowledgement?)
    case dismissNotice(id: String)

    /// The result of a command, also encoded as JSON.
    enum Outcome: Sendable, Hashable, Codable {
        case run(String, sequence: SequenceNumber?, isNew: Bool)
        case store(String, sequence: SequenceNumber?, isNew: Bool)
        case deletions([RunDeletionOutcome])
        case done(Bool)
        case refused(code: String, words: String, mistakes: [InputMistake])
    }
}

extension BoardCommand.Outcome {
    init(_ receipt: StartReceipt) { self = .run(receipt.run, sequence: receipt.sequence, isNew: receipt.isNew) }

    init(_ receipt: StoreReceipt) { self = .store(receipt.store, sequence: receipt.sequence, isNew: receipt.isNew) }

    init(_ error: BoardError) {
        self = .refused(code: error.code.rawValue, words: error.description, mistakes: error.fields)
    }

    var sequence: SequenceNumber? {
        switch self {
        case .run(_, let sequence, _), .store(_, let sequence, _): sequence
        case .deletions(let outcomes): outcomes.flatMap(\.deletions).map(\.sequence).max()
        case .done, .refused: nil
        }
    }

    var startReceipt: StartReceipt {
        get throws(BoardError) {
            guard case .run(let run, let sequence, let isNew) = self else { throw refusal }
            return StartReceipt(run: run, sequence: sequence, isNew: isNew)
        }
    }

    var storeReceipt: StoreReceipt {
        get throws(BoardError) {
            guard case .store(let store, let sequence, let isNew) = self else { throw refusal }
            return StoreReceipt(store: store, sequence: sequence, isNew: isNew)
        }
    }

    var deletions: [RunDeletionOutcome] {
        get throws(BoardError) {
            guard case .deletions(let outcomes) = self else { throw refusal }
            return outcomes
        }
    }

    /// Whether a command without a receipt had an effect.
    var isDone: Bool {
        get throws(BoardError) {
            guard case .done(let isDone) = self else { throw refusal }
            return isDone
        }
    }

    private var refusal: BoardError {
        guard case .refused(let code, let words, let mistakes) = self else { return .outcomeUnknown(of: nil) }
        // An unknown code of another version only means that nothing was done.
        return BoardError(BoardError.Code(rawValue: code) ?? .unavailable, Message(verbatim: words), fields: mistakes)
    }
}

extension Board {
    /// Whether another server records, so that this one forwards commands to it.
    var follows: Bool { role.value == .following }

    /// Forwards a command to the recording server; returns once that has replied and this server shows the result.
    ///
    /// - Parameter command: The command, with permissions already checked.
    /// - Returns: The reply.
    /// - Throws: What the command throws there; `overloaded` if too many commands are waiting; `unavailable` if the
    ///   recording server did not accept the command in time, so that nothing was done; and `outcomeUnknown` if it
    ///   accepted the command but did not reply.
    func handOver(_ command: BoardCommand) async throws(BoardError) -> BoardCommand.Outcome {
        let recording = recordingNode
        // A server of an earlier version accepts none. If no server records now, another is about to take over.
        let isTaken = recording?.standing.takesCommands ?? (recording == nil)
        guard let sender, isTaken else { throw .following(recording?.name) }
        let outcome = try await sender.send(command, to: recording?.name)
        if let sequence = outcome.sequence { await shown(sequence) }
        return outcome
    }

    /// Forwards a start with files or secrets, which stay on this server: it carries out the run, under an id it
    /// assigns.
    ///
    /// Throws what `handOver(_:)` throws, and `unavailable` if this server carries out no runs for the recording one.
    func handOver(
        startOf operation: String, input: JSONValue, retryOf: String? = nil, actor: String, key: String?,
        keeping parts: RunParts
    ) async throws(BoardError) -> StartReceipt {
        guard let keeper = worker?.parts, configuration.carriesOutForOthers else {
            throw .partsStay(recordingNode?.name)
        }
        let run = launcher.makeID()
        keeper.keep(parts, for: run)
        do {
            let receipt = try await handOver(
                .startThere(
                    run: run, operation: operation, input: input, retryOf: retryOf, actor: actor, key: key)
            ).startReceipt
            if receipt.run != run { keeper.drop(run) }
            return receipt
        } catch {
            guard !keeper.drop(run, isLost: error.code == .outcomeUnknown), let live = runs[run] else { throw error }
            // The outcome is known, because the run has begun here.
            return StartReceipt(run: run, sequence: live.opened.resolved, isNew: true)
        }
    }

    private var recordingNode: JournalNode? { nodes.first { $0.node.isRecording && !$0.isThis }?.node }

    /// Waits at most a second until this server shows a change that another one recorded.
    ///
    /// Returns at once if this server records, because no later change can exist.
    func shown(_ sequence: SequenceNumber) async {
        guard follows, feed.head(of: .board) < sequence else { return }
        let shown = Deferred<Bool>()
        let observation = feed.observe(.board, after: 0) { head in
            if head >= sequence { shown.resolve(true) }
        }
        _ = await shown.value(within: .seconds(1), clock: clock)
        observation.cancel()
    }

    /// Whether a change may be recorded that this server does not show, after waiting at most two seconds for it.
    ///
    /// Returns false only if the journal has no such change. While the journal cannot be read, the result is true: this
    /// server may have been replaced without knowing it, so that a client of another server has seen later changes.
    func mayBeRecorded(_ sequence: SequenceNumber) async -> Bool {
        await shown(sequence)
        guard feed.head(of: .board) < sequence else { return true }
        guard membership != nil else { return false }
        let answer = Deferred<Bool>()
        Task { [self] in
            do { try await recorder.follower.catchUp() } catch { return answer.resolve(true) }
            answer.resolve(feed.head(of: .board) >= sequence)
        }
        return await answer.value(within: .seconds(1), clock: clock) ?? true
    }

    /// Carries out a command from the server with that id, which itself carries out the run that the command starts.
    func perform(_ command: BoardCommand, of node: String) async -> BoardCommand.Outcome {
        do throws(BoardError) {
            // A server that was replaced in the meantime does not forward the command again.
            try requireRecording()
            return try await outcome(of: command, worker: membership?.worker(of: node))
        } catch {
            return .init(error)
        }
    }

    private func outcome(of command: BoardCommand, worker: Int64?) async throws(BoardError) -> BoardCommand.Outcome {
        switch command {
        case .start(let operation, let input, let actor, let key):
            .init(
                try await start(
                    operation, input: input, actor: actor, idempotencyKey: key,
                    foreign: worker.map { ForeignStart(worker: $0) }))
        case .startThere(let run, let operation, let input, let retryOf, let actor, let key):
            .init(
                try await begin(run, operation, input, retryOf: retryOf, actor: actor, key: key, worker: worker))
        case .cancel(let run, let actor):
            .init(try await cancel(run, actor: actor))
        case .delete(let runs, let actor):
            .deletions(try await deletions(of: runs, actor: actor))
        case .retry(let run, let input, let actor, let key):
            .init(
                try await retry(
                    run, input: input, actor: actor, idempotencyKey: key, from: nil,
                    foreign: worker.map { ForeignStart(worker: $0) }))
        case .retryFromFailedStep(let run, let step, let actor, let key):
            .init(try await retryFromFailedStep(run, from: step, actor: actor, idempotencyKey: key))
        case .decide(let run, let step, let isApproved, let comment, let actor):
            .init(try await decide(run, step: step, isApproved: isApproved, comment: comment, actor: actor))
        case .dispatch(let action, let store, let actor, let key):
            .init(try await dispatch(action, to: store, actor: actor, idempotencyKey: key))
        case .rehydrate(let store, let state, let actor, let key):
            .init(try await rehydrate(store, state: state, actor: actor, idempotencyKey: key))
        case .returnTo(let store, let sequence, let actor, let key):
            .init(try await returnTo(store, sequence: sequence, actor: actor, idempotencyKey: key))
        case .reset(let store, let actor, let key):
            .init(try await reset(store, actor: actor, idempotencyKey: key))
        case .pauseSchedule(let operation, let actor, let reason):
            try await paused(operation, by: actor, reason: reason)
        case .resumeSchedule(let operation):
            try await paused(operation, by: nil)
        case .acknowledge(let operation, let acknowledgement):
            try await acknowledged(operation, acknowledgement)
        case .dismissNotice(let id):
            .done(try await dismissNotice(id))
        }
    }

    /// Starts a run whose file or secrets stay on the server that carries it out, under the id assigned there.
    private func begin(
        _ run: String, _ operation: String, _ input: JSONValue, retryOf: String?, actor: String, key: String?,
        worker: Int64?
    ) async throws(BoardError) -> StartReceipt {
        guard let worker, RunID.isPlausible(run), runs[run] == nil else { throw .partsStay(nil) }
        let input = try await launcher.validate(input, for: operation, isElsewhere: true).input
        var opening = RunOpening(actor: actor, input: input, idempotencyKey: key)
        if let retryOf {
            let retried = try await self.run(retryOf)
            guard retried.endedAt != nil else { throw .stillActive }
            opening = RunOpening(actor: actor, input: input, retrying: retried, idempotencyKey: key)
        }
        return try await begin(operation, opening, [:], nil, foreign: ForeignStart(worker: worker, run: run))
    }

    private func acknowledged(
        _ operation: String, _ acknowledgement: Acknowledgement?
    ) async throws(BoardError) -> BoardCommand.Outcome {
        try await set(acknowledgement, of: operation)
        return .done(true)
    }

    private func paused(
        _ operation: String, by actor: String?, reason: String? = nil
    ) async throws(BoardError) -> BoardCommand.Outcome {
        _ = try await pause(operation, by: actor, reason: reason)
        return .done(true)
    }
}

extension BoardError {
    /// The error for a start with a file or secrets that this following server can neither forward nor carry out.
    static func partsStay(_ recording: String?) -> BoardError {
        BoardError(.unavailable, .partsStay, ["other": named(recording)])
    }

    /// The error for a command that was withdrawn before it was accepted.
    static func notTaken(by recording: String?) -> BoardError {
        BoardError(.unavailable, .notTaken, ["other": named(recording)])
    }

    /// The error for a command that was accepted but not answered.
    static func outcomeUnknown(of recording: String?) -> BoardError {
        BoardError(.outcomeUnknown, .outcomeUnknown, ["other": named(recording)])
    }

    static func tooManyWait(for recording: String?) -> BoardError {
        BoardError(.overloaded, .tooManyWait, ["other": named(recording)])
    }

    private static func named(_ recording: String?) -> Message.Value {
        recording.map { "“\($0)”" } ?? .message(Message(BoardWording.nobodyRecords))
    }
}
