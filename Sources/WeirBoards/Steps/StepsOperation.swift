package import WeirFlows
import WeirJournals
package import WeirOperations
import WeirStates

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
        let at = Timestamp(milliseconds: 1_795_262_400_000)
        var progress = StepsProgress(plan.steps.map { .init($0.name, operation: $0.operation) })
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

extension StepsProgress.Step {
    /// Stands as in the gallery while it goes on.
    fileprivate mutating func begin(asSampleAt at: Timestamp, isDecision: Bool) {
        (status, began) = (isDecision ? .asking : .running, at)
        if isDecision {
            (prompt, until) = ("An example of a question", at.after(7_200_000))
        } else {
            (run, attempt, state, progress) = ("sample", 2, "running", WorkProgress(40, of: 100))
        }
    }

    /// Stands as in the gallery once it is over.
    fileprivate mutating func end(asSampleAt at: Timestamp, isDecision: Bool) {
        (status, ended, progress) = (.succeeded, at.after(1_800), nil)
        if isDecision {
            decision = .init(isApproved: true, by: "ana", comment: "An example of a comment")
        } else {
            doneIn = "sample"
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
