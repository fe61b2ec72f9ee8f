import Flows
import Journals
import Operations
import States

/// Starts runs of one operation, and brings every state they pass through to the recorder.
struct OperationStarter<Work: StateOperation>: RunStarter {
    let id: String
    let runner: OperationRunner<Work>
    let recorder: Recorder
    let outputs: OutputDesk

    func start(
        _ request: StartRequest, willBegin: (LiveRun) -> Void, onEnd: @escaping @Sendable (String, Phase) -> Void
    ) throws(BoardError) -> String {
        let input = try input(of: request)
        do {
            return try runner.start(input, id: request.run) { run in
                let output = runner.operation is any OutputOperation ? outputs.output(of: run.id) : nil
                if let output { run.print(to: output) }
                let live = LiveRun(request, operation: id, output: output, cancel: run.cancel, outcome: run.outcome)
                willBegin(live)
                record(run, live, onEnd)
            }.id
        } catch {
            throw BoardError(.busy, error.description)
        }
    }

    private func input(of request: StartRequest) throws(BoardError) -> Work.Input {
        do {
            let content = request.content.map { [CodingUserInfoKey.fileContent: $0 as any Sendable] } ?? [:]
            return try request.opening.input.decode(Work.Input.self, userInfo: content)
        } catch {
            throw BoardError(
                .invalidInput, "The input does not fit this operation: \(CodingWords.sentence(for: error))")
        }
    }

    private func record(_ run: Run<Work.State>, _ live: LiveRun, _ onEnd: @escaping @Sendable (String, Phase) -> Void) {
        let stream = StreamID.run(run.id)
        recorder.open(stream, subject: id, .describing(run.state.value), opening: live.request.opening)
        let subscription = run.state.subscribe(.lossless) { [recorder, output = live.output] state in
            if state.phase.isEnded { output?.close() }
            recorder.offer(stream, .describing(state), cause: run.cancellationCause?.description)
        } onEnd: { [recorder, output = live.output] _ in
            output?.close()
            recorder.close(stream)
            onEnd(run.id, run.state.value.phase)
        }
        live.keep(subscription)
    }
}
