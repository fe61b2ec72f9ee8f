package import WeirFlows
import WeirJournals
package import WeirOperations
import WeirStates

/// Runs other operations one after the other, each in its own run, with approvals between them.
///
/// Each recorded state contains the progress of all steps, so that the run continues with the next step after a restart
/// of the server, including a crash.
package struct StepsOperation: DeclaredStates {
    let plan: StepsPlan
    package let inputFields: [InputField]
    private let onRun: @Sendable (MutableStateFlow<StepsState>) -> Void

    /// Creates an operation; `onRun` receives the states of each run before its first step begins.
    package init(
        _ plan: StepsPlan, fields: [InputField],
        onRun: @escaping @Sendable (MutableStateFlow<StepsState>) -> Void = { _ in }
    ) {
        self.plan = plan
        inputFields = fields
        self.onRun = onRun
    }

    /// One sample for each step and each end state.
    package var stateSamples: [StepsState] {
        let at = Timestamp(milliseconds: 1_795_262_400_000)
        var progress = StepsProgress(of: plan)
        let steps = plan.steps.indices.map { index -> StepsState in
            let isDecision = plan.steps[index].approval != nil
            progress.steps[index].begin(asSampleAt: at, isDecision: isDecision)
            defer { progress.steps[index].end(asSampleAt: at, isDecision: isDecision) }
            return .at(plan.steps[index].name, progress)
        }
        let first = plan.steps.first?.name
        return [.initial] + steps + [
            .stopping(progress), .succeeded(progress),
            .failed(StepsProgress(progress.steps, ending: .init(.stepFailed, step: first))), .cancelled(progress),
        ]
    }

    package func perform(_ input: StepsInput, state: MutableStateFlow<StepsState>) async throws {
        guard let host = input.host else {
            throw OperationFailure("An operation of steps can only be run by a board.")
        }
        onRun(state)
        guard let machine = StepsMachine(plan, from: state.value.steps) else {
            state.update { last in
                var steps = last.steps
                steps.ending = .init(.fileChanged)
                return .failed(steps)
            }
            return
        }
        let run = StepsRun(plan, machine, input: input.values, fields: inputFields, host: host, flow: state)
        // Unstructured, so that cancellation asks the current step to stop and then waits for it.
        let work = Task { try await run.perform() }
        try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            run.stop()
        }
    }
}

extension StepsProgress.Step {
    fileprivate mutating func begin(asSampleAt at: Timestamp, isDecision: Bool) {
        (status, began) = (isDecision ? .asking : .running, at)
        if isDecision {
            (prompt, until) = ("An example of a question", at.after(7_200_000))
        } else {
            (run, attempt, state, progress) = ("sample", 2, "running", WorkProgress(40, of: 100))
        }
    }

    fileprivate mutating func end(asSampleAt at: Timestamp, isDecision: Bool) {
        (status, ended, progress) = (.succeeded, at.after(1_800), nil)
        if isDecision {
            decision = .init(isApproved: true, by: "ana", comment: "An example of a comment")
        } else {
            doneIn = "sample"
        }
    }
}

/// The input of a steps operation: values by field, and the board that runs it.
package struct StepsInput: OperationInput {
    /// Empty: the fields belong to each operation.
    package static var fields: [InputField] { [] }
    let values: [String: JSONValue]
    /// The access to the board; nil in an input decoded from the journal.
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
    static var stepsHost: CodingUserInfoKey {
        // Never traps: Foundation accepts any raw value.
        CodingUserInfoKey(rawValue: "weir.stepsHost").unsafelyUnwrapped
    }
}
