import Flows
import Journals
import Operations
import States

/// Starts runs of one operation, and brings every state they pass through to the recorder.
struct OperationStarter<Work: StateOperation>: RunStarter {
    let id: String
    let runner: OperationRunner<Work>
    let recorder: Recorder

    func start(
        _ request: StartRequest, willBegin: (LiveRun) -> Void, onEnd: @escaping @Sendable (String, Phase) -> Void
    ) throws(BoardError) -> String {
        let input = try input(of: request)
        do {
            return try runner.start(input, id: request.run) { run in
                let live = LiveRun(request, operation: id, cancel: run.cancel, outcome: run.outcome)
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
            throw BoardError(.invalidInput, "The input does not fit this operation: \(Self.words(error))")
        }
    }

    private func record(_ run: Run<Work.State>, _ live: LiveRun, _ onEnd: @escaping @Sendable (String, Phase) -> Void) {
        let stream = StreamID.run(run.id)
        recorder.open(stream, subject: id, Self.record(run.state.value), opening: live.request.opening)
        let subscription = run.state.subscribe(.lossless) { [recorder] state in
            recorder.offer(stream, Self.record(state), cause: run.cancellationCause?.description)
        } onEnd: { [recorder] _ in
            recorder.close(stream)
            onEnd(run.id, run.state.value.phase)
        }
        live.keep(subscription)
    }

    /// The record of a state; of one that cannot be written down, a record that says so.
    private static func record(_ state: Work.State) -> StateRecord {
        do {
            return try StateRecord(state)
        } catch {
            let problem = JSONValue.string("This state cannot be written down: \(words(error))")
            return StateRecord(caseName: "value", payload: ["problem": problem], phase: state.phase)
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "“\(key.stringValue)” is missing."
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            "\(place(context.codingPath)): \(context.debugDescription)"
        case EncodingError.invalidValue(_, let context): "\(place(context.codingPath)): \(context.debugDescription)"
        default: "\(error)"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "The whole" : path.map(\.stringValue).joined(separator: ".")
    }
}
