package import WeirOperations

/// The steps that a file declares, with the places of what other files decide about.
struct DeclaredSteps: Sendable {
    /// The file.
    let file: String
    /// The steps, in order.
    let steps: [Step]

    /// One step.
    struct Step: Sendable {
        let name: String
        let place: FilePlace
        let title: LocalizedText?
        let work: Work
        let values: [Value]
        let retry: StepsPlan.Retry?
        let timeout: Duration?
        let afterFailureOf: Set<String>
        let isRepeatable: Bool

        /// The id of the operation that it runs.
        var operation: String? {
            switch work {
            case .other(let id, _): id
            case .own(let definition): definition.id
            case .approval: nil
            }
        }
    }

    /// What a step does.
    enum Work: Sendable {
        /// Runs an operation that is declared elsewhere.
        case other(String, FilePlace)
        /// Runs a program of its own.
        indirect case own(OperationDefinition)
        /// Asks a person.
        case approval(StepsPlan.Approval)
    }

    /// A value for an input of a step.
    struct Value: Sendable {
        let name: String
        let place: FilePlace
        let value: StepValue
        let valuePlace: FilePlace
    }
}

extension OperationDefinition {
    /// The steps that it consists of; nil for an operation with a program.
    package var plan: StepsPlan? {
        guard case .steps(let declared) = program else { return nil }
        return StepsPlan(
            declared.steps.map { step in
                let work: StepsPlan.Work =
                    switch step.work {
                    case .approval(let approval): .approval(approval)
                    case .other(let id, _): .run(operation: id, input: step.input)
                    case .own(let definition): .run(operation: definition.id, input: step.input)
                    }
                return StepsPlan.Step(
                    step.name, work, retry: step.retry, timeout: step.timeout, afterFailureOf: step.afterFailureOf,
                    isRepeatable: step.isRepeatable)
            })
    }

    /// The programs of its steps, which are run only with it.
    package var parts: [OperationDefinition] {
        guard case .steps(let declared) = program else { return [] }
        return declared.steps.compactMap { step in
            guard case .own(let definition) = step.work else { return nil }
            return definition
        }
    }
}

extension DeclaredSteps.Step {
    /// The input of its run: of a program of its own, also the inputs of the whole that it names.
    fileprivate var input: [String: StepValue] {
        var input = Dictionary(values.map { ($0.name, $0.value) }) { first, _ in first }
        if case .own(let definition) = work {
            for field in definition.fields where input[field.name] == nil {
                input[field.name] = StepValue([.input(field.name)])
            }
        }
        return input
    }
}
