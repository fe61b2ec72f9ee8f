package import WeirFlows
package import WeirOperations
package import WeirStandard
import WeirStates

/// Sends the declared request and shows each step.
package struct RequestOperation: OutputOperation, DeclaredStates {
    private let definition: OperationDefinition
    private let request: DeclaredRequest
    private let environment: OperationEnvironment

    /// Creates an operation from a definition, or returns nil if it declares no request.
    package init?(_ definition: OperationDefinition, in environment: OperationEnvironment) {
        guard case .request(let request) = definition.program else { return nil }
        self.definition = definition
        self.request = request
        self.environment = environment
    }

    package var inputFields: [InputField] { definition.fields }

    package var stateSamples: [CommandState] {
        let values = Dictionary(request.values.map { ($0.name, JSONValue.string($0.name)) }) { $1 }
        let steps: [OutgoingRequest.Step] = [
            .connecting(host: "example.com"), .sending, .receiving(bytes: 40, total: 100),
            .receiving(bytes: 40, total: nil),
        ]
        return [.waiting] + steps.map(CommandState.init) + CommandState.samples.filter { $0.name == "retrying" } + [
            .succeeded(StateDetails(values: values)), .succeeded(StateDetails(show: "An example of a text")),
            .failed(problem: CommandProblem(message: "The server answered 404 Not Found.", last: "Nothing here.")),
            .cancelled,
        ]
    }

    /// Sends the request, with the declared number of retries, and throws the last attempt's problem.
    package func perform(
        _ input: CommandInput, state: MutableStateFlow<CommandState>, output: OutputWriter
    ) async throws {
        let labels = Dictionary(definition.fields.map { ($0.name, $0.label) }) { $1 }
        let outgoing = try request.outgoing(input, labels: labels, environment: environment)
        let count = 1 + (definition.retry?.limit ?? 0)
        var attempt = 1
        // A run that paused when the last process ended continues with the pause.
        if let pending = state.value.pendingRetry {
            attempt = pending.attempt
            try await environment.clock.sleep(for: pending.interval)
        }
        while !state.isFinished {
            let problem: CommandProblem
            do {
                state.value = .succeeded(try await send(outgoing, input, state: state, output: output))
                return
            } catch let failure as HTTPFailure {
                problem = CommandProblem(message: failure.description)
                guard attempt < count, failure.mayPass else { throw self.problem(problem, input) }
            } catch let answered as CommandProblem {
                problem = answered
                guard attempt < count else { throw self.problem(problem, input) }
            }
            let pause = definition.retry?.interval ?? .seconds(10)
            attempt += 1
            state.value = .retrying(CommandRetry(attempt: attempt, of: count, after: pause, message: problem.message))
            try await environment.clock.sleep(for: pause)
        }
        throw CancellationError()
    }

    private func send(
        _ outgoing: OutgoingRequest, _ input: CommandInput, state: MutableStateFlow<CommandState>, output: OutputWriter
    ) async throws -> StateDetails {
        let answer = try await outgoing.send(output: output) { state.value = CommandState($0) }
        guard request.accepts(answer.status) else {
            let expected = request.statuses.sorted().map { "\($0)" }.joined(separator: " or ")
            throw CommandProblem(
                message: "The server answered \(answer.status)\(answer.reason.isEmpty ? "" : " " + answer.reason)"
                    + (expected.isEmpty ? "." : " where \(expected) was expected."),
                last: answer.text.isEmpty ? nil : StateReport.shortened(answer.text))
        }
        var values: [String: JSONValue] = ["status": .integer(Int64(answer.status))]
        if !request.values.isEmpty {
            let read = try await WorkPool.answers.run { [declared = request.values] in
                declared.read(from: try JSONValue(answer))
            }
            values.merge(read.values) { $1 }
            for path in read.missing { await output.write("The answer has no value at \(path).", to: .notice) }
        }
        return StateDetails(show: text(definition.success, input, values), values: values)
    }

    private func text(_ template: TextTemplate?, _ input: CommandInput, _ values: [String: JSONValue]) -> String? {
        template?.filled { name in
            if let value = values[name] { return value.shown }
            let isSecret = definition.fields.contains { $0.name == name && $0.isSecret }
            return isSecret ? "" : input.text(name).map(StateReport.shortened) ?? ""
        }
    }

    private func problem(_ problem: CommandProblem, _ input: CommandInput) -> CommandProblem {
        guard let text = text(definition.failure, input, [:]), !text.isEmpty else { return problem }
        return CommandProblem(message: "\(text) \(problem.message)", last: problem.last)
    }
}

extension CommandState {
    fileprivate init(_ step: OutgoingRequest.Step) {
        switch step {
        case .connecting(let host): self = .active("connecting", StateDetails(values: ["host": .string(host)]))
        case .sending: self = .active("sending", StateDetails())
        case .receiving(let bytes, let total):
            self = .active("receiving", StateDetails(progress: WorkProgress(bytes, of: total, unit: .bytes)))
        }
    }
}

extension JSONValue {
    /// Parses the body of a response; throws ``HTTPFailure`` if the body is not JSON, or is incomplete.
    init(_ answer: OutgoingRequest.Answer) throws(HTTPFailure) {
        guard answer.isWhole else { throw .tooLong(limit: Int64(OutgoingRequest.bodyLimit)) }
        guard let text = String(validating: answer.body, as: UTF8.self),
            let value = try? JSONValue(parsing: text, isLenient: true)
        else {
            throw .notUnderstood(reason: "it is not JSON, of which the file reads values.")
        }
        self = value
    }

    var shown: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let flag): String(flag)
        case .null, .array, .object: ""
        }
    }
}
