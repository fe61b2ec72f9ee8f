import WeirFlows
import WeirJournals
import WeirStates

extension Board {
    /// Whether another server records, so that commands are handed to it.
    var follows: Bool { role.value == .following }

    /// Hands a command to the server that records, and returns once that has answered and this server shows what came of it.
    ///
    /// - Parameter command: What is asked; rights were checked.
    /// - Returns: The answer.
    /// - Throws: What the command throws there; `overloaded` when too much waits; `unavailable` when the server that records
    ///   did not take it in time, so that nothing was done; and `outcomeUnknown` when it took it and did not answer.
    func handOver(_ command: BoardCommand) async throws(BoardError) -> BoardCommand.Outcome {
        let recording = recordingNode
        // A server of an earlier version takes none. Where none records now, another is about to take its place.
        let isTaken = recording?.standing.takesCommands ?? (recording == nil)
        guard let sender, isTaken else { throw .following(recording?.name) }
        let outcome = try await sender.send(command, to: recording?.name)
        if let sequence = outcome.sequence { await shown(sequence) }
        return outcome
    }

    /// Hands a start over whose parts stay here, so that the run is carried out here: under an id that this server gives it.
    ///
    /// Throws what `handOver` does, and `unavailable` where this server carries out nothing for the one that records.
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
            // What came of it is known, as it has begun here.
            return StartReceipt(run: run, sequence: live.opened.resolved, isNew: true)
        }
    }

    /// The server that records, if it is another one.
    private var recordingNode: JournalNode? { nodes.first { $0.node.isRecording && !$0.isThis }?.node }

    /// Waits until this server shows a change that another one recorded, at most a second.
    ///
    /// Returns at once where this server records: what is ahead of that, nobody has recorded.
    func shown(_ sequence: SequenceNumber) async {
        guard follows, feed.head(of: .board) < sequence else { return }
        let shown = Deferred<Bool>()
        let observation = feed.observe(.board, after: 0) { head in
            if head >= sequence { shown.resolve(true) }
        }
        _ = await shown.value(within: .seconds(1), clock: clock)
        observation.cancel()
    }

    /// Whether a change may be recorded that this server does not show, after waiting for it for at most two seconds.
    ///
    /// False only if the journal itself has no such change. While it cannot be asked, whoever comes from another server may well
    /// have come further than this one, which may have lost its place without knowing it.
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

    /// Carries out what another server handed over, the one with that id; a run is carried out by that server itself.
    func perform(_ command: BoardCommand, of node: String) async -> BoardCommand.Outcome {
        do throws(BoardError) {
            // What has lost its place meanwhile is not handed on.
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
        case .retry(let run, let input, let actor, let key):
            .init(
                try await retry(
                    run, input: input, actor: actor, idempotencyKey: key, from: nil,
                    foreign: worker.map { ForeignStart(worker: $0) }))
        case .retryFromFailedStep(let run, let actor, let key):
            .init(try await retryFromFailedStep(run, actor: actor, idempotencyKey: key))
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
        case .pauseSchedule(let operation, let actor):
            try await paused(operation, by: actor)
        case .resumeSchedule(let operation):
            try await paused(operation, by: nil)
        case .dismissNotice(let id):
            .done(try await dismissNotice(id))
        }
    }

    /// Starts a run whose parts are at the server that carries it out, under the id that it has there.
    private func begin(
        _ run: String, _ operation: String, _ input: JSONValue, retryOf: String?, actor: String, key: String?,
        worker: Int64?
    ) async throws(BoardError) -> StartReceipt {
        guard let worker, RunID.isPlausible(run), runs[run] == nil else { throw .partsStay(nil) }
        let input = try await launcher.validate(input, for: operation, isWithoutSecrets: true).input
        if let retryOf, try await self.run(retryOf).endedAt == nil { throw .stillActive }
        let opening = RunOpening(actor: actor, input: input, retryOf: retryOf, idempotencyKey: key)
        return try await begin(operation, opening, [:], nil, foreign: ForeignStart(worker: worker, run: run))
    }

    private func paused(_ operation: String, by actor: String?) async throws(BoardError) -> BoardCommand.Outcome {
        _ = try await pause(operation, by: actor)
        return .done(true)
    }
}

extension BoardError {
    /// The error for a start with a file or secrets at a server that follows another and cannot carry it out.
    static func partsStay(_ recording: String?) -> BoardError {
        BoardError(.unavailable, .partsStay, ["other": named(recording)])
    }

    /// The error for a command that was withdrawn before anybody took it.
    static func notTaken(by recording: String?) -> BoardError {
        BoardError(.unavailable, .notTaken, ["other": named(recording)])
    }

    /// The error for a command that was taken and not answered.
    static func outcomeUnknown(of recording: String?) -> BoardError {
        BoardError(.outcomeUnknown, .outcomeUnknown, ["other": named(recording)])
    }

    /// The error for one command too many.
    static func tooManyWait(for recording: String?) -> BoardError {
        BoardError(.overloaded, .tooManyWait, ["other": named(recording)])
    }

    private static func named(_ recording: String?) -> Message.Value {
        recording.map { "“\($0)”" } ?? .message(Message(BoardWording.nobodyRecords))
    }
}
