import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Starts runs of one operation, and brings every state they pass through to the recorder.
struct OperationStarter<Work: StateOperation>: RunStarter {
    let id: String
    let runner: OperationRunner<Work>
    let ticks: TickRecording
    let surroundings: RunSurroundings

    func start(
        _ request: StartRequest, willBegin: (LiveRun) -> Void, onEnd: @escaping @Sendable (String, Phase) -> Void
    ) throws(BoardError) -> String {
        let mask = request.mask
        let input = try input(of: request, mask)
        let foreign = foreignRun(request)
        do {
            return try runner.start(input, id: request.run, variation(request, foreign)) { run in
                let output = foreign == nil ? output(of: run, mask) : nil
                let live = LiveRun(request, operation: id, output: output, cancel: run.cancel, outcome: run.outcome)
                foreign?.take(live, cause: { run.stopCause })
                willBegin(live)
                record(run, live, mask, onEnd)
            }.id
        } catch {
            throw BoardError(.busy, Message(verbatim: error.description))
        }
    }

    private func input(of request: StartRequest, _ mask: SecretMask) throws(BoardError) -> Work.Input {
        do {
            var info: [CodingUserInfoKey: any Sendable] = [:]
            if let content = request.content { info[.fileContent] = content as any Sendable }
            if let host = request.host { info[.stepsHost] = host }
            return try request.input.decode(Work.Input.self, userInfo: info)
        } catch {
            throw BoardError(
                .invalidInput, .invalidInput,
                ["reason": .text(mask.masked(CodingErrorText.sentence(for: error)))])
        }
    }

    private func foreignRun(_ request: StartRequest) -> ForeignRun<Work.Input, Work.State>? {
        guard case .elsewhere(let worker) = request.place, let assigner = surroundings.assigner else { return nil }
        return ForeignRun(
            worker: worker, isAssigned: request.beginning != nil, recorder: surroundings.recorder, assigner: assigner)
    }

    private func variation(
        _ request: StartRequest, _ foreign: ForeignRun<Work.Input, Work.State>?
    ) -> RunVariation<Work.Input, Work.State> {
        var variation = RunVariation<Work.Input, Work.State>()
        variation.work = foreign
        guard let beginning = request.beginning else { return variation }
        // Whoever asks for a state has read it as one of the operation before.
        variation.state = (try? beginning.state.state(as: Work.State.self)) ?? .initial
        variation.elapsed = beginning.elapsed
        // One that another server admitted, or did before this one took its place, is admitted.
        if request.place != .here { variation.reentry = .concurrent }
        return variation
    }

    /// Where the run prints to, if it prints anything.
    private func output(of run: Run<Work.State>, _ mask: SecretMask) -> RunOutput? {
        guard runner.operation is any OutputOperation else { return nil }
        let output = surroundings.outputs.output(of: run.id)
        run.print(to: mask.isEmpty ? output : MaskingSink(sink: output, mask: mask))
        return output
    }

    private func record(
        _ run: Run<Work.State>, _ live: LiveRun, _ mask: SecretMask,
        _ onEnd: @escaping @Sendable (String, Phase) -> Void
    ) {
        let (stream, recorder, logger) = (StreamID.run(run.id), surroundings.recorder, surroundings.logger)
        if let beginning = live.request.beginning, let revision = beginning.revision {
            // What another server records is not recorded here, too.
            if live.isHere {
                recorder.resume(stream, subject: id, beginning.state, revision: revision, ticks: ticks)
            }
        } else {
            recorder.open(
                stream, subject: id, mask.masked(.describing(run.state.value)), opening: live.request.opening,
                ticks: ticks)
        }
        let subscription = run.state.subscribe(.lossless) { [output = live.output] state in
            if state.phase.isEnded { output?.close() }
            recorder.offer(stream, mask.masked(.describing(state)), cause: run.cancellationCause?.description)
        } onEnd: { [output = live.output] _ in
            output?.close()
            recorder.close(stream)
            if let failure = run.failure, !failure.isExplained {
                // Pages and programs are shown a sentence that gives nothing away, so the log has the rest; quoted, as the
                // error may carry line breaks from outside.
                logger.error(
                    "A run failed with an error that has no explanation for people.",
                    metadata: ["run": "\(run.id)", "cause": "\(String(reflecting: mask.masked("\(failure)")))"])
            }
            onEnd(run.id, run.state.value.phase)
        }
        live.keep(subscription)
    }
}

/// Takes secrets out of the lines that a run prints before anything keeps them.
private struct MaskingSink: OutputSink {
    let sink: any OutputSink
    let mask: SecretMask

    func write(_ line: String, to channel: OutputChannel) async { await sink.write(mask.masked(line), to: channel) }

    func offer(_ line: String, to channel: OutputChannel) -> Bool { sink.offer(mask.masked(line), to: channel) }
}
