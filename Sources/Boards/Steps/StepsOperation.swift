package import Flows
package import Operations
import States

/// Runs other operations, one after the other, and asks people in between: a run of its own for each step.
///
/// What the steps have come to is recorded with each state, so that a run continues with the next step after the server
/// was restarted, however it ended.
package struct StepsOperation: DeclaredStates {
    /// What is done.
    package let plan: StepsPlan
    /// The fields of its input.
    package let inputFields: [InputField]

    /// Makes an operation of a plan.
    package init(_ plan: StepsPlan, fields: [InputField]) {
        self.plan = plan
        inputFields = fields
    }

    /// Each step once, and how it ends.
    package var stateSamples: [StepsState] {
        var progress = StepsProgress(plan.steps.map { .init($0.name, operation: $0.operation) })
        let steps = plan.steps.indices.map { index -> StepsState in
            let step = plan.steps[index]
            progress.steps[index].status = step.approval == nil ? .running : .asking
            progress.steps[index].prompt = step.approval.map { _ in "An example of a question" }
            defer { progress.steps[index].status = .succeeded }
            return .at(step.name, progress)
        }
        return [.initial] + steps + StepsState.ends
    }

    package func perform(_ input: StepsInput, state: MutableStateFlow<StepsState>) async throws {
        guard let host = input.host else {
            throw OperationFailure("An operation of steps can only be run by a board.")
        }
        guard let machine = StepsMachine(plan, from: state.value.steps) else {
            state.update { last in
                var steps = last.steps
                steps.ending = .init(.fileChanged)
                return .failed(steps)
            }
            return
        }
        let run = StepsRun(plan, machine, input: input.values, fields: inputFields, host: host, flow: state)
        // A step that is asked to stop is waited for.
        let work = Task { try await run.perform() }
        try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            run.stop()
        }
    }
}

/// The input of an operation of steps: values by field, and the board that runs it.
package struct StepsInput: OperationInput {
    /// None: each operation has fields of its own.
    package static var fields: [InputField] { [] }
    /// The values of the fields that have one.
    let values: [String: JSONValue]
    /// The board, as its run sees it; nil in what the journal kept.
    let host: StepsHost?

    package init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: JSONValue].self)
        host = decoder.userInfo[.stepsHost] as? StepsHost
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }
}

extension CodingUserInfoKey {
    /// Where a decoder finds the board that runs the steps.
    static var stepsHost: CodingUserInfoKey {
        // Never traps: Foundation makes a key of any text.
        CodingUserInfoKey(rawValue: "weir.stepsHost").unsafelyUnwrapped
    }
}
