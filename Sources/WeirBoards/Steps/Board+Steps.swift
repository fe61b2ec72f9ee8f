import WeirJournals
import WeirOperations
import WeirStates

extension Board {
    /// Decides an approval of a steps run; returns once that is recorded, or after a time limit.
    ///
    /// A comment is truncated to 1,000 characters. Throws `unknownRun`, `alreadyEnded`, and `notAsking` if the step has
    /// no open approval.
    package func decide(
        _ run: String, step: String, isApproved: Bool, comment: String? = nil, actor: String
    ) async throws(BoardError) -> StartReceipt {
        if follows {
            let command = BoardCommand.decide(
                run: run, step: step, isApproved: isApproved, comment: comment, actor: actor)
            return try await handOver(command).startReceipt
        }
        try requireRecording()
        // Runs of steps are not recorded any more.
        if runs.isClosed { throw .shuttingDown }
        guard let live = runs[run] else {
            let record = try await self.run(run)
            guard record.endedAt != nil else { throw .notAsking }
            throw BoardError(.alreadyEnded, .nothingToDecide)
        }
        let words = comment.map { String($0.prefix(1_000)) }.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        let decision = StepsProgress.Decision(isApproved: isApproved, by: actor, comment: words)
        guard live.request.host?.decisions.decide(decision, at: step) == true else { throw .notAsking }
        let recorded = Deferred<SequenceNumber>()
        Task { [recorder, feed] in
            await recorder.flush()
            recorded.resolve(feed.run(run)?.record.sequence ?? 0)
        }
        return StartReceipt(run: run, sequence: await sequence(of: recorded), isNew: false)
    }

    /// Starts an ended steps run again with the steps that did not succeed, and with the one named by `step`; all that
    /// does not depend on these is taken over.
    ///
    /// Throws the errors of `retry`, `nothingToContinue`, and `unknownStep`.
    func retryFromFailedStep(
        _ run: String, from step: String? = nil, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        if follows {
            let command = BoardCommand.retryFromFailedStep(run: run, from: step, actor: actor, key: idempotencyKey)
            return try await handOver(command).startReceipt
        }
        let record = try await self.run(run)
        guard record.endedAt != nil else { throw .stillActive }
        let recorded = try? record.state.state(as: StepsState.self).steps
        guard catalog[record.operation]?.isResumable == true, let recorded,
            step != nil || StepsMachine.canContinue(recorded)
        else { throw BoardError(.nothingToContinue, .nothingToContinue) }
        if let step, !StepsMachine.canBegin(at: step, in: recorded) {
            let names = recorded.steps.map { "“\($0.name)”" }
            throw BoardError(.unknownStep, .unknownStep, ["step": BoardError.short(step), "steps": .all(names)])
        }
        let state = StepsState.waiting(StepsMachine.takingOver(recorded, of: run, from: step))
        guard let beginning = try? StateRecord(state) else {
            throw BoardError(.nothingToContinue, .nothingToContinue)
        }
        return try await retry(run, actor: actor, idempotencyKey: idempotencyKey, from: beginning)
    }

    /// Starts the run of a step, under an idempotency key.
    ///
    /// Waits at most a minute while the values of the operation's choices are loading.
    func startStep(
        _ operation: String, input: [String: JSONValue], actor: String, key: String
    ) async throws(BoardError) -> StartReceipt {
        for _ in 0..<60 where catalog[operation]?.fields.contains(where: \.isPending) == true {
            do { try await clock.sleep(for: .seconds(1)) } catch { break }
        }
        let fields = catalog[operation]?.fields ?? []
        let scalars = input.merging(InputField.texts(ofStructures: input, fields: fields)) { $1 }
        let typed = InputField.object(fromScalars: scalars, fields: fields).object ?? [:]
        // Keeps empty texts, which an argument can consist of.
        let whole = JSONValue.object(typed.merging(scalars) { converted, _ in converted })
        let (input, secrets) = try await parted(whole, for: operation, isStep: true)
        return try await begin(
            operation, RunOpening(actor: actor, input: input, idempotencyKey: key), secrets, nil, isStep: true)
    }

    /// Continues the steps runs of the last process, nested steps first so that their parents find them.
    func resume(_ records: [RunRecord]) {
        let isStep = { (record: RunRecord) in record.opening.idempotencyKey?.hasPrefix("step ") == true }
        for record in records.filter(isStep).reversed() + records.filter({ !isStep($0) }) {
            let host = host(record.id, record.opening, isResumed: true)
            do {
                try launcher.resume(record, host: host, elapsed: .milliseconds(max(now() - record.startedAt, 0)))
            } catch {
                // Its operation allows one run at a time, and another run continues.
                interrupt(record, .stopped)
            }
        }
    }

    func host(_ run: String, _ opening: RunOpening, isResumed: Bool = false) -> StepsHost {
        StepsHost(run: run, opening: opening, isResumed: isResumed) { [weak self] in self }
    }
}

extension BoardError {
    static var notAsking: BoardError {
        BoardError(.notAsking, .notAsking)
    }

    static var stillActive: BoardError {
        BoardError(.stillRunning, .stillActive)
    }
}

extension InputField {
    /// The JSON texts of lists and objects that are given to fields of texts.
    fileprivate static func texts(
        ofStructures input: [String: JSONValue], fields: [InputField]
    ) -> [String: JSONValue] {
        var texts: [String: JSONValue] = [:]
        for field in fields {
            guard let value = input[field.name], value.array != nil || value.object != nil else { continue }
            switch field.kind {
            case .text, .multiline, .secret: texts[field.name] = (try? value.text()).map(JSONValue.string)
            default: continue
            }
        }
        return texts
    }
}
