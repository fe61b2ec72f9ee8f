import Flows
import Journals
import Logging
import Operations
import States

/// Starts runs of one operation, and brings every state they pass through to the recorder.
struct OperationStarter<Work: StateOperation>: RunStarter {
    let id: String
    let runner: OperationRunner<Work>
    let ticks: TickRecording
    let recorder: Recorder
    let outputs: RunOutputs
    let logger: Logger

    func start(
        _ request: StartRequest, willBegin: (LiveRun) -> Void, onEnd: @escaping @Sendable (String, Phase) -> Void
    ) throws(BoardError) -> String {
        let mask = request.mask
        let input = try input(of: request, mask)
        do {
            let willBegin = { (run: Run<Work.State>) in
                let output = runner.operation is any OutputOperation ? outputs.output(of: run.id) : nil
                if let output {
                    run.print(to: mask.isEmpty ? output : MaskingSink(sink: output, mask: mask))
                }
                let live = LiveRun(request, operation: id, output: output, cancel: run.cancel, outcome: run.outcome)
                willBegin(live)
                record(run, live, mask, onEnd)
            }
            guard let beginning = request.beginning else {
                return try runner.start(input, id: request.run, willBegin: willBegin).id
            }
            return try runner.start(
                input, id: request.run, from: state(beginning), elapsed: beginning.elapsed, willBegin: willBegin
            ).id
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

    private func state(_ beginning: StartRequest.Beginning) -> Work.State {
        // Whoever asks for a state has read it as one of the operation before.
        (try? beginning.state.state(as: Work.State.self)) ?? .initial
    }

    private func record(
        _ run: Run<Work.State>, _ live: LiveRun, _ mask: SecretMask,
        _ onEnd: @escaping @Sendable (String, Phase) -> Void
    ) {
        let stream = StreamID.run(run.id)
        if let beginning = live.request.beginning, let revision = beginning.revision {
            recorder.resume(stream, subject: id, beginning.state, revision: revision)
        } else {
            recorder.open(
                stream, subject: id, mask.masked(.describing(run.state.value)), opening: live.request.opening,
                ticks: ticks)
        }
        let subscription = run.state.subscribe(.lossless) { [recorder, output = live.output] state in
            if state.phase.isEnded { output?.close() }
            recorder.offer(stream, mask.masked(.describing(state)), cause: run.cancellationCause?.description)
        } onEnd: { [recorder, logger, output = live.output] _ in
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
